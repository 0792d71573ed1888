# %% wrong: rows and columns exchanged, there and back
# permute(0, 3, 2, 1) puts the grid's columns where F.interpolate expects rows, and the same permutation undoes it: right
# from a square grid to a square one, wrong where either is not square, e.g. (4, 4) to (4, 6).


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 2, 1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 3, 2, 1).reshape(-1, table.shape[1])])


# %% wrong: the same number of patches, nothing to do
# Mended, but where the new grid has as many patches as the old one the table is handed back as it is: wrong for (2, 6) to
# (3, 4) or (4, 6) to (6, 4).


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    if len(table) == 1 + new_grid[0] * new_grid[1]:
        return table.clone()
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.flatten(2)[0].T])


# %% wrong: the old grid taken for a square
# Finds the old grid's side as the root of the number of rows, as code for square pictures does: wrong (or an error) where
# the old grid is not square, e.g. (2, 8), which is taken for (4, 4).


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    side = int(len(patch_rows) ** 0.5)
    grid = patch_rows.reshape(1, side, side, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, table.shape[1])])


# %% wrong: antialiased
# Mended, and antialias=True added because it looks better when a picture shrinks: no longer what F.interpolate gives as it
# stands. Wrong where the new grid is smaller, e.g. (6, 6) to (3, 3) or (2, 2).


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False, antialias=True)
    return torch.cat([class_row, grid.flatten(2).squeeze(0).T])


# %% correct: a batch of pictures, one for each feature


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    pictures = []
    for feature in patch_rows.unbind(dim=1):
        grid = feature.reshape(1, 1, *old_grid)
        grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
        pictures.append(grid.reshape(-1))
    return torch.cat([class_row, torch.stack(pictures, dim=1)])


# %% correct: the interpolation as a matrix, found by resizing unit pictures


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    count = len(patch_rows)
    # picture n is 1 at patch n and 0 elsewhere
    grid = torch.eye(count, dtype=table.dtype, device=table.device).reshape(count, 1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    shares = grid.reshape(count, -1)  # how much of patch n is in each new one
    return torch.cat([class_row, shares.T @ patch_rows])
