# %% wrong: only the way in is mended
# The features are brought to the front before the resize, but not taken back behind it: the second reshape deals the numbers out
# over the wrong rows. It shows on the same grid already, for more than one feature and more than one patch.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: rows and columns of the grid exchanged
# permute(0, 3, 2, 1) puts the width before the height, but the size is given as height and width. Square grids come out right; any
# other, old or new, does not.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 2, 1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    grid = grid.permute(0, 3, 2, 1)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: smoothed where the grid shrinks
# Adds antialias=True, so that no position is skipped on a smaller grid. The numbers are then no longer those of the call as it was:
# it shows where a side shrinks.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    h, w = old_grid
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(h, w, -1).permute(2, 0, 1).unsqueeze(0)
    shrinks = new_grid[0] < h or new_grid[1] < w
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False, antialias=shrinks)
    patch_rows = grid.squeeze(0).permute(1, 2, 0).flatten(0, 1)
    return torch.cat([class_row, patch_rows])


# %% wrong: as many patches, nothing to do
# Returns a copy where the new grid has as many patches as the old one. From 4 x 4 to 2 x 8 every position is another.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    if new_grid[0] * new_grid[1] == len(table) - 1:
        return table.clone()
    D = table.shape[1]
    class_row, patch_rows = table.split([1, len(table) - 1])
    grid = patch_rows.reshape(1, *old_grid, D).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, D)])


# %% correct: one feature at a time

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    columns = []
    for column in table.unbind(dim=1):
        picture = column[1:].reshape(1, 1, *old_grid)
        picture = F.interpolate(picture, size=new_grid, mode="bilinear", align_corners=False)
        columns.append(torch.cat([column[:1], picture.flatten()]))
    return torch.stack(columns, dim=1)


# %% correct: the resize as a matrix

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    # one picture for each old place, with a one in that place
    places = torch.eye(len(patch_rows), dtype=table.dtype, device=table.device)
    grid = places.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    # (old places, new places): how much of each old row goes into each new one
    shares = grid[0].flatten(1)
    return torch.cat([class_row, torch.einsum("on,od->nd", shares, patch_rows)])
