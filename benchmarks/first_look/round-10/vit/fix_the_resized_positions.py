# %% wrong: only the way in is mended
# The rows are turned before the interpolation, and come back by the old reshape.
# Promise: (1 + h' * w', D), the patches' rows. Shows for every grid with D and h' * w' of 2 or more, the unchanged one too.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: rows and columns change places
# permute(2, 1, 0) makes the columns the first axis of the picture, and the new size stays (h', w').
# Promise: a grid of h rows and w columns, row by row. Shows for grids that are not square: (4, 4) to (4, 6), right for (4, 4) to (6, 6).

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(*old_grid, -1).permute(2, 1, 0).unsqueeze(0)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid[0].permute(2, 1, 0).reshape(-1, table.shape[1])])


# %% wrong: squeeze takes more than the batch
# After the interpolation all axes of one are removed, and then three are expected.
# Promise: any grid and any D, 1 included. Shows for D = 1, and for a new grid of one row or one column: permute fails.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear", align_corners=False)
    grid = grid.squeeze().permute(1, 2, 0)
    return torch.cat([class_row, grid.flatten(0, 1)])


# %% wrong: the old grid is worked out by a root
# As in code for square pictures: the side is the root of the number of rows, old_grid is not asked.
# Promise: old_grid is (h, w), they may differ. Shows for old_grid (2, 8), taken for (4, 4), and (2, 3): an error.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    side = int(len(patch_rows) ** 0.5)
    grid = patch_rows.T.reshape(1, -1, side, side)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.flatten(2)[0].T])


# %% correct: rows and columns one after the other, by linear interpolation

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    (rows, columns), (new_rows, new_columns) = old_grid, new_grid
    grid = table[1:].unflatten(0, (rows, columns))  # (h, w, D)
    grid = F.interpolate(grid.transpose(1, 2), size=new_columns, mode="linear", align_corners=False)  # (h, D, w')
    grid = F.interpolate(grid.permute(2, 1, 0), size=new_rows, mode="linear", align_corners=False)  # (w', D, h')
    return torch.vstack([table[:1], grid.permute(2, 0, 1).flatten(0, 1)])


# %% correct: two matrices of shares

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    def shares(old: int, new: int) -> Tensor:
        matrix = table.new_zeros(new, old)
        for i in range(new):
            at = min(max((i + 0.5) * old / new - 0.5, 0.0), old - 1.0)
            low = int(at)
            high = min(low + 1, old - 1)
            matrix[i, low] += 1 - (at - low)
            matrix[i, high] += at - low
        return matrix

    down, across = (shares(old, new) for old, new in zip(old_grid, new_grid, strict=True))
    patches = torch.kron(down, across) @ table[1:]
    return torch.cat((table[:1], patches), dim=0)
