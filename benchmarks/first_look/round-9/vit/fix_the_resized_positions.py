# %% wrong: only the way in is mended
# The first reshape is put right, and the second still reads the channels' planes as rows of the table.
# Shows for every grid, the same one too, where D and the number of patches are greater than 1.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: along the line of patches
# The rows are interpolated as one line of h * w places, and not over a picture of h rows and w columns.
# Shows for another number of patches: (4, 4) to (4, 6) blends the end of a row with the start of the next.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    line = patch_rows.T.unsqueeze(0)  # (1, D, h * w)
    line = F.interpolate(line, size=new_grid[0] * new_grid[1], mode="linear", align_corners=False)
    return torch.cat([class_row, line[0].T])


# %% wrong: rows and columns change places
# permute(2, 1, 0) makes a picture of D channels with the columns first, and size=new_grid has the rows first.
# Shows for a grid that is not square: (4, 4) to (4, 6) comes out in another order.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(*old_grid, -1).permute(2, 1, 0).unsqueeze(0)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid[0].permute(2, 1, 0).reshape(-1, table.shape[1])])


# %% wrong: squeeze takes too much
# squeeze() drops every axis of size 1, and not only the one that was added in front.
# Shows for a table with D = 1, and for a new grid of 1 x 1.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    height, width = old_grid
    grid = patch_rows.T.reshape(1, -1, height, width)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear", align_corners=False).squeeze()
    return torch.cat([class_row, grid.flatten(1).T])


# %% correct: a matrix for the rows and a matrix for the columns

def stretch(old: int, new: int, like: Tensor) -> Tensor:
    """(new, old): how much of each old place is in each new one, between the centres of the places."""
    centre = (torch.arange(new, dtype=like.dtype, device=like.device) + 0.5) * old / new - 0.5
    centre = centre.clamp(0, old - 1).unsqueeze(1)
    return (1 - (centre - torch.arange(old, device=like.device)).abs()).clamp(min=0)


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table.split([1, len(table) - 1])
    down, across = (stretch(old, new, table) for old, new in zip(old_grid, new_grid))
    picture = patch_rows.unflatten(0, tuple(old_grid))
    picture = torch.einsum("yh,xw,hwd->yxd", down, across, picture)
    return torch.cat((class_row, picture.flatten(0, 1)))


# %% correct: feature after feature, each a picture of its own

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    h, w = old_grid
    columns = []
    for feature in table.unbind(dim=1):
        plane = feature[1:].reshape(1, 1, h, w)
        plane = F.interpolate(plane, size=tuple(new_grid), mode="bilinear", align_corners=False)
        columns.append(torch.cat([feature[:1], plane.flatten()]))
    return torch.stack(columns, dim=1)
