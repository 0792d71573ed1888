# %% wrong: half mended
# The way in is right, the way out is as it was found: (1, D, h', w') is cut into rows of D numbers,
# so features and places are mixed. Even on the same grid the table comes back in disorder.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: rows and columns exchanged, there and back
# permute(0, 3, 2, 1) puts the columns before the rows, and undoes it at the end. On square grids
# the two cancel; where old_grid or new_grid is not square the shape or the numbers are wrong.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, old_grid[0], old_grid[1], -1).permute(0, 3, 2, 1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 3, 2, 1).reshape(-1, table.shape[1])])


# %% wrong: smoothed before it shrinks
# antialias=True, as for photographs. The same where the grid grows; where it shrinks other numbers
# than F.interpolate's plain bilinear ones.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False, antialias=True)
    return torch.cat([class_row, grid.flatten(2)[0].T])


# %% wrong: as many patches, so the same table
# "Nothing to do where the number of patches stays the same." A grid of 4 x 4 and one of 2 x 8 have
# sixteen each, in another arrangement: the table comes back as it was.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    if len(patch_rows) == new_grid[0] * new_grid[1]:
        return table.clone()
    grid = patch_rows.reshape(1, *old_grid, table.shape[1]).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, table.shape[1])])


# %% correct: one small picture for each feature

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    columns = []
    for feature in table.unbind(dim=1):
        picture = torch.stack(feature[1:].split(old_grid[1]))[None, None]  # (1, 1, h, w)
        picture = F.interpolate(picture, size=tuple(new_grid), mode="bilinear", align_corners=False)
        columns.append(torch.cat([feature[:1], picture.flatten()]))
    return torch.stack(columns, dim=1)


# %% correct: one matrix of shares for the rows and one for the columns

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    def shares(old: int, new: int) -> Tensor:
        """(new, old): how much of each old place is in each new one."""
        centres = (torch.arange(new, device=table.device, dtype=table.dtype) + 0.5) * (old / new) - 0.5
        centres = centres.clamp(min=0).unsqueeze(1)
        lower = centres.floor()
        upper = (lower + 1).clamp(max=old - 1)
        places = torch.arange(old, device=table.device)
        part = centres - lower
        return (places == lower) * (1 - part) + (places == upper) * part

    down, across = (shares(old, new) for old, new in zip(old_grid, new_grid, strict=True))
    grid = table[1:].unflatten(0, tuple(old_grid))
    grid = torch.einsum("ih,jw,hwd->ijd", down, across, grid)
    return torch.cat([table[:1], grid.flatten(0, 1)])
