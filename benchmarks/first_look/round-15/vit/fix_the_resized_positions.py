# %% wrong: mended on the way in only
# The features go to the front before the interpolation, but the way back is still a plain reshape.
# Wrong wherever there are two patches and two features, on the same grid too.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])

# %% wrong: the grid lies on its side
# permute(0, 3, 2, 1) puts the width before the height, there and back. From a square grid to a
# square grid it is right; where new_grid (or old_grid) is not square, rows and columns are mixed up.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 2, 1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    grid = grid.permute(0, 3, 2, 1)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])

# %% wrong: as many patches, so nothing to do
# Where the number of patches stays, the table comes back as it was. 2 by 6 to 3 by 4 has twelve
# patches both times, in another arrangement.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    (h, w), (new_h, new_w) = old_grid, new_grid
    if h * w == new_h * new_w:
        return table.clone()
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, h, w, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=(new_h, new_w), mode="bilinear", align_corners=False)
    patch_rows = grid.permute(0, 2, 3, 1).reshape(new_h * new_w, -1)
    return torch.cat([class_row, patch_rows])

# %% wrong: smoothed where the grid shrinks
# antialias=True is added to the call that was to stay. The same where the grid grows or stays; other
# numbers where it shrinks along an axis.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(
        grid, size=new_grid, mode="bilinear", align_corners=False, antialias=True
    )
    return torch.cat([class_row, grid[0].flatten(1).T])

# %% correct: two matrices of weights, one for each axis

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    def mixing(old: int, new: int) -> Tensor:
        """(new, old): how much of each old place is in each new one."""
        where = (torch.arange(new, dtype=torch.float64) + 0.5) * (old / new) - 0.5
        where = where.clamp(0, old - 1)
        distance = (where.unsqueeze(1) - torch.arange(old)).abs()
        return (1 - distance).clamp(min=0).to(table)

    down, across = (mixing(*sides) for sides in zip(old_grid, new_grid))
    grid = table[1:].unflatten(0, tuple(old_grid))  # (h, w, D)
    patch_rows = torch.einsum("ih,jw,hwd->ijd", down, across, grid).flatten(0, 1)
    return torch.cat([table[:1], patch_rows])

# %% correct: one feature at a time

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    columns = []
    for feature in table.unbind(dim=1):
        picture = torch.stack(feature[1:].split(old_grid[1]))  # (h, w)
        picture = F.interpolate(
            picture[None, None], size=tuple(new_grid), mode="bilinear", align_corners=False
        )
        columns.append(torch.cat([feature[:1], picture.flatten()]))
    return torch.stack(columns, dim=1)
