# %% wrong: features to the front by swapping the first and the last axis
# permute(0, 3, 2, 1) also swaps rows and columns, so new_grid's height is used for the columns. The second permute hides it
# for square grids; shows where new_grid is not square: (4, 4) to (4, 6) puts its rows in the wrong order.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 2, 1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 3, 2, 1).reshape(-1, table.shape[1])])


# %% wrong: smoothed where the grid shrinks
# antialias=True, as some published code has it, averages over more rows when the new grid is smaller. The call was to be left
# as it is: shows from (6, 6) to (3, 3).

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False, antialias=True)
    return torch.cat([class_row, grid.flatten(2)[0].T])


# %% wrong: the old grid is taken to be a square
# The side is the root of the number of rows, and old_grid is not looked at. Shows for an old grid of 2 x 8, read as 4 x 4, and
# of 4 x 6, where the reshape fails.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    side = int(len(patch_rows) ** 0.5)
    grid = patch_rows.reshape(1, side, side, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, table.shape[1])])


# %% wrong: interpolated along the line of patches
# The rows are stretched as one line of h * w places, not as a picture, so that the end of a row is blended with the beginning
# of the next. Shows for nearly every new grid, e.g. (4, 4) to (4, 6).

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    line = patch_rows.T.unsqueeze(0)  # (1, D, h * w)
    line = F.interpolate(line, size=new_grid[0] * new_grid[1], mode="linear", align_corners=False)
    return torch.cat([class_row, line[0].T])


# %% correct: one feature at a time

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    columns = []
    for column in table.unbind(dim=1):  # (1 + h * w,): one feature of all rows
        grid = column[1:].reshape(1, 1, *old_grid)
        grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
        columns.append(torch.cat([column[:1], grid.reshape(-1)]))
    return torch.stack(columns, dim=1)


# %% correct: what each old place gives to each new one, as a matrix

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    places = len(table) - 1
    one_at_a_time = torch.eye(places, dtype=table.dtype, device=table.device).reshape(places, 1, *old_grid)
    gives = F.interpolate(one_at_a_time, size=new_grid, mode="bilinear", align_corners=False)
    resized = torch.einsum("on,od->nd", gives.flatten(1), table[1:])
    return torch.cat([table[:1], resized])
