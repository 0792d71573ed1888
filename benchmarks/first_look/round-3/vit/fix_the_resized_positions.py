# %% wrong: only the first reshape is mended
# The features come to the front before interpolating, but afterwards the grid (1, D, h', w') is reshaped as before, so features and places are mixed.
# Hint: what you turned round before the interpolation has to be turned back after it; look at it on the same grid.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: nearest rows in the place of bilinear
# F.interpolate is called without a mode, and its default is "nearest": rows are copied and not interpolated bilinearly.
# Hint: what is the default of mode in F.interpolate?

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    D = table.shape[1]
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, D, *old_grid)
    grid = F.interpolate(grid, size=new_grid)
    return torch.cat([class_row, grid.reshape(D, -1).T])


# %% wrong: rows and columns of the old grid exchanged
# The old table is laid out as w rows and h columns; right on square grids, wrong on all others.
# Hint: try a grid of 2 x 3 patches that becomes 2 x 3, or 4 x 6.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    columns, rows = old_grid
    grid = patch_rows.reshape(1, rows, columns, table.shape[1]).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, table.shape[1])])


# %% wrong: one scale factor for both axes
# The grid is stretched in both directions by the factor of the height, so from 4 x 4 to 4 x 6 nothing happens and the table has too few rows.
# Hint: is the factor of the width always that of the height?

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, table.shape[1]).permute(0, 3, 1, 2)
    factor = new_grid[0] / old_grid[0]
    grid = F.interpolate(grid, scale_factor=factor, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, table.shape[1])])


# %% correct: rows and columns interpolated by two matrices

def _linear_map(old: int, new: int, like: Tensor) -> Tensor:
    """(new, old): each new place as a mixture of its two old neighbours, pixels taken by their centres."""
    place = ((torch.arange(new, device=like.device, dtype=like.dtype) + 0.5) * (old / new) - 0.5).clamp(0, old - 1)
    below = place.floor().long()
    above = (below + 1).clamp(max=old - 1)
    share = (place - below).unsqueeze(1)
    return F.one_hot(below, old) * (1 - share) + F.one_hot(above, old) * share


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    picture = table[1:].unflatten(0, tuple(old_grid))  # (h, w, D)
    down = _linear_map(old_grid[0], new_grid[0], table)
    across = _linear_map(old_grid[1], new_grid[1], table)
    resized = torch.einsum("ph,qw,hwd->pqd", down, across, picture)
    return torch.cat((table[:1], resized.flatten(0, 1)))


# %% correct: the transposed table as a picture of channels

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    channels = table[1:].t().unflatten(1, tuple(old_grid)).unsqueeze(0)  # (1, D, h, w)
    resized = F.interpolate(channels, size=tuple(new_grid), mode="bilinear", align_corners=False)
    result = table.new_empty(1 + resized.shape[2] * resized.shape[3], table.shape[1])
    result[0] = table[0]
    result[1:] = resized.squeeze(0).flatten(1).t()
    return result
