# %% wrong: mended on the way in only
# The features are moved to the front before the interpolation, but not back behind it: the last reshape cuts the
# (D, h', w') numbers in the wrong order. Shows for every grid with D > 1, the same grid too.


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: rows and columns exchanged
# permute(0, 3, 2, 1) gives (1, D, w, h), which is then resized to (h', w'). It cancels where both grids are square;
# with (2, 3) to (4, 5) the number of rows is still right, their contents are not.


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    h, w = old_grid
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, h, w, -1).permute(0, 3, 2, 1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 3, 2, 1).reshape(-1, table.shape[1])])


# %% wrong: the same number of patches is taken for the same grid
# A shortcut returns the table where h * w equals h' * w'. From (2, 6) to (3, 4) or (6, 2) the patches stand elsewhere,
# and their rows must be interpolated.


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    if old_grid[0] * old_grid[1] == new_grid[0] * new_grid[1]:
        return table.clone()
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.flatten(2)[0].T])


# %% wrong: everything in float32
# The picture of positions is made float32 "because interpolate wants floats", and the class row with it. float64
# should stay float64: a table in float64 comes back in float32.


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    table = table.float()
    class_row, patch_rows = table[:1], table[1:]
    D = table.shape[1]
    grid = patch_rows.view(1, old_grid[0], old_grid[1], D).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    patches = grid.permute(0, 2, 3, 1).reshape(new_grid[0] * new_grid[1], D)
    return torch.cat([class_row, patches])


# %% correct: feature by feature


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    columns = []
    for feature in table.unbind(dim=1):
        class_number, grid = feature[:1], feature[1:].reshape(1, 1, *old_grid)
        grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
        columns.append(torch.cat([class_number, grid.flatten()]))
    return torch.stack(columns, dim=1)


# %% correct: the features as a batch of pictures with one channel


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    height, width = old_grid
    result = table.new_empty(1 + new_grid[0] * new_grid[1], table.shape[1])
    # row 1 + r * width + c of the table to place (r, c) of each feature's picture
    places = 1 + torch.arange(height, device=table.device).unsqueeze(1) * width
    places = places + torch.arange(width, device=table.device)
    grid = table[places].movedim(2, 0).unsqueeze(1)  # (D, 1, h, w)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    result[0] = table[0]
    result[1:] = grid.reshape(len(grid), -1).t()
    return result
