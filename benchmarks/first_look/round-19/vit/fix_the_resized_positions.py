# %% wrong: only the way in is mended
# The rows go into the grid rightly, but the result is read back by the old reshape: features and
# places are mixed, even on the same grid.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: only the way out is mended
# The interpolated picture is read rightly, but the rows went in by the old reshape. On the same
# grid the table changes; on others it is mixed.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.flatten(2)[0].T])


# %% wrong: rows and columns change places on the way in
# permute(0, 3, 2, 1) puts the features in front but turns the grid over: the table's grid comes
# out transposed, also for 4 x 4 to 4 x 6.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    D = table.shape[1]
    grid = patch_rows.reshape(1, old_grid[0], old_grid[1], D).permute(0, 3, 2, 1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, D)])


# %% wrong: smoothed where the grid shrinks
# antialias=True is good for photographs, but it is not the interpolation asked for: 6 x 6 to
# 3 x 3 gives other numbers.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(
        grid, size=new_grid, mode="bilinear", align_corners=False, antialias=True
    )
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, table.shape[1])])


# %% correct: every feature a picture of its own
# The features go along the batch axis, one channel each.
def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table.split([1, len(table) - 1])
    grid = torch.stack([feature.unflatten(0, tuple(old_grid)) for feature in patch_rows.unbind(1)])
    grid = grid.unsqueeze(1)  # (D, 1, h, w)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, torch.stack([one.flatten() for one in grid], dim=1)])


# %% correct: row by row into an empty picture, and out again
# Writes each patch's row at its place, and reads the places of the new grid one by one.
def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    grid = table.new_empty(1, table.shape[1], *old_grid)
    for n in range(1, len(table)):
        row, column = divmod(n - 1, old_grid[1])
        grid[0, :, row, column] = table[n]
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    rows = [
        grid[0, :, row, column] for row in range(new_grid[0]) for column in range(new_grid[1])
    ]
    return torch.stack([table[0], *rows])
