# %% wrong: only the first reshape is mended
# The rows go into the grid rightly, but the way back is still a plain reshape of (D, h, w) to rows of D numbers.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: interpolated along the line of patches
# The rows of the table are stretched as a sequence, in one dimension; neighbours above and below play no part.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    line = patch_rows.transpose(0, 1).unsqueeze(0)  # (1, D, h * w)
    line = F.interpolate(line, size=new_grid[0] * new_grid[1], mode="linear", align_corners=False)
    return torch.cat([class_row, line[0].transpose(0, 1)])


# %% wrong: height and width change places
# The permute puts the columns before the rows, and the new size is still (h, w); right where both grids are square.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    D = table.shape[1]
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(old_grid[0], old_grid[1], D).permute(2, 1, 0).unsqueeze(0)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    grid = grid.squeeze(0).permute(2, 1, 0).reshape(-1, D)
    return torch.cat([class_row, grid])


# %% wrong: bicubic, as the libraries do
# The axes are right, but the interpolation is bicubic, and bilinear is asked for.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    cls, rest = table[:1], table[1:]
    grid = rest.reshape(1, old_grid[0], old_grid[1], -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bicubic", align_corners=False)
    rest = grid.permute(0, 2, 3, 1).flatten(0, 2)
    return torch.cat([cls, rest], dim=0)


# %% wrong: the old grid is taken for a square
# The side of the old grid is the root of the number of rows, and old_grid is not read: right for 4 x 4, wrong for any other shape.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    side = int(len(patch_rows) ** 0.5)
    grid = patch_rows[: side * side].reshape(1, side, side, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.flatten(2)[0].T])


# %% correct: one feature at a time

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    features = []
    for feature in table[1:].unbind(dim=1):
        picture = feature.reshape(1, 1, old_grid[0], old_grid[1])
        larger = F.interpolate(picture, size=tuple(new_grid), mode="bilinear", align_corners=False)
        features.append(larger.flatten())
    resized = torch.stack(features, dim=1)
    return torch.vstack([table[0], resized])


# %% correct: a matrix of shares for rows and one for columns

def _shares(old, new, like):
    """(new, old): how much of each old place is in each new one."""
    matrix = like.new_zeros(new, old)
    for place in range(new):
        at = min(max((place + 0.5) * old / new - 0.5, 0.0), old - 1.0)
        before = int(at)
        after = min(before + 1, old - 1)
        matrix[place, before] += 1 - (at - before)
        matrix[place, after] += at - before
    return matrix


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    down = _shares(old_grid[0], new_grid[0], table)
    across = _shares(old_grid[1], new_grid[1], table)
    patches = table[1:].unflatten(0, (old_grid[0], old_grid[1]))
    moved = torch.einsum("ih,jw,hwd->ijd", down, across, patches)
    return torch.cat((table[:1], moved.flatten(0, 1)))
