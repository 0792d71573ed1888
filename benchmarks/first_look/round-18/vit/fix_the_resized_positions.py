# %% wrong: mended on the way in only
# The picture is made rightly, but the last reshape still reads features as places: shows on every grid of more than one patch.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: the axes reversed, both ways
# permute(0, 3, 2, 1) makes the picture D, w, h: rows and columns are exchanged, and square grids do not notice, but 2 x 3 to 4 x 6 does.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 2, 1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    grid = grid.permute(0, 3, 2, 1)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: smoothed where the grid shrinks
# antialias=True changes the interpolation where a side shrinks (6 x 6 to 3 x 3); the call was to stay as it is.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(
        grid, size=new_grid, mode="bilinear", align_corners=False, antialias=True
    )
    return torch.cat([class_row, grid.flatten(2)[0].T])


# %% wrong: the old grid taken for a square
# Works the side out from the number of rows, as published loaders do: an old grid of 2 x 8 is read as 4 x 4.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    side = int(len(patch_rows) ** 0.5)
    if side * side != len(patch_rows):
        side = old_grid[0]
    grid = patch_rows.reshape(1, side, -1, table.shape[1]).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, table.shape[1])])


# %% correct: each feature a picture of its own

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    columns = []
    for feature in table.unbind(dim=1):
        picture = feature[1:].reshape(1, 1, *old_grid)
        picture = F.interpolate(picture, size=new_grid, mode="bilinear", align_corners=False)
        columns.append(torch.cat([feature[:1], picture.flatten()]))
    return torch.stack(columns, dim=1)


# %% correct: the interpolation as a matrix

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    N = len(table) - 1
    # a picture for each old patch, one there and zero elsewhere: how much of it each new patch gets
    unit = torch.eye(N, dtype=table.dtype, device=table.device).view(1, N, *old_grid)
    share = F.interpolate(unit, size=new_grid, mode="bilinear", align_corners=False).flatten(2)[0]
    return torch.vstack([table[0], share.T @ table[1:]])
