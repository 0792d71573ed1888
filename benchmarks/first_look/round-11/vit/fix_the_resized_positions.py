# %% wrong: mended on the way in, not on the way out
# The first reshape is right now, but the result (1, D, h', w') is still read as if it were rows of D.
# It shows for D and h' * w' above 1, on the same grid too.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])

# %% wrong: rows and columns exchanged, there and back
# permute(2, 1, 0) makes (D, w, h), which is resized to new_grid as if it were (D, h, w). Between
# squares nothing shows. It shows for an old or new grid that is not square, e.g. (4, 4) to (4, 6).

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(*old_grid, -1).permute(2, 1, 0).unsqueeze(0)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid[0].permute(2, 1, 0).reshape(-1, table.shape[1])])

# %% wrong: the old grid is taken for a square
# As in many a script for published weights, the side is the root of the number of patches. It shows
# for an old grid such as (2, 8), read as 4 x 4, or (2, 3), whose reshape fails.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    side = int(len(patch_rows) ** 0.5)
    grid = patch_rows.reshape(1, side, side, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    grid = grid.permute(0, 2, 3, 1).flatten(1, 2)
    return torch.cat([class_row, grid[0]])

# %% wrong: squeeze takes a feature or a patch along
# squeeze() removes every axis of length one, not the batch's alone. It shows for D = 1 and for a new
# grid of (1, 1): the rows have one axis, and cat fails.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    rows = grid.flatten(2).squeeze().T
    return torch.cat([class_row, rows])

# %% correct: feature by feature, each a grey picture of its own
def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    columns = []
    for feature in table.split(1, dim=1):
        picture = feature[1:].reshape(1, 1, *old_grid)
        picture = F.interpolate(picture, size=new_grid, mode="bilinear", align_corners=False)
        columns.append(torch.cat([feature[0], picture.reshape(-1)]))
    return torch.stack(columns, dim=1)

# %% correct: the interpolation as a matrix between the grids
def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    places = len(patch_rows)
    grid = torch.eye(places, dtype=table.dtype, device=table.device).reshape(1, places, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    shares = grid.reshape(places, -1).T  # (h' * w', h * w): what each new patch takes of each old one
    return torch.cat([class_row, shares @ patch_rows])
