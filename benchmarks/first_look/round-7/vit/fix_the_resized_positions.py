# %% wrong: mended on the way in only
# The table becomes a picture of D channels rightly, and is read out of it as before: (D, h', w') reshaped to (N', D).
# Wrong even on the same grid.


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: along the line of patches
# The rows are interpolated along the sequence, and not over the picture: a patch's neighbours above and below do not
# count. Shows where the grid changes, on all but a grid of a single row.


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    line = patch_rows.T.unsqueeze(0)  # (1, D, N)
    line = F.interpolate(line, size=new_grid[0] * new_grid[1], mode="linear", align_corners=False)
    return torch.cat([class_row, line[0].T])


# %% wrong: as many patches, nothing to do
# Where both grids have the same number of patches the table comes back as it is: (2, 6) to (3, 4).


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    height, width = new_grid
    if len(table) == 1 + height * width:
        return table.clone()
    grid = table[1:].view(*old_grid, -1).permute(2, 0, 1).unsqueeze(0)  # (1, D, h, w)
    grid = F.interpolate(grid, size=(height, width), mode="bilinear", align_corners=False)
    return torch.cat([table[:1], grid.squeeze(0).permute(1, 2, 0).reshape(height * width, -1)])


# %% wrong: columns first on the way out
# The picture's axes are turned round in place of moving the channels to the end, so that the rows come column by
# column. Shows on any new grid of more than one row and column.


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.transpose(1, 3).reshape(-1, table.shape[1])])


# %% correct: a matrix for the rows and one for the columns


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    def along(old: int, new: int) -> Tensor:
        place = ((torch.arange(new, dtype=torch.float64) + 0.5) * old / new - 0.5).clamp(0, old - 1)
        distance = (place.unsqueeze(1) - torch.arange(old, dtype=torch.float64)).abs()
        return (1 - distance).clamp(min=0).to(table)  # (new, old): a tent over each old place

    (h, w), (new_h, new_w) = old_grid, new_grid
    grid = table[1:].unflatten(0, (h, w))
    grid = torch.einsum("ih,jw,hwd->ijd", along(h, new_h), along(w, new_w), grid)
    return torch.cat([table[:1], grid.flatten(0, 1)])


# %% correct: sampled at the centres of the new patches


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    width = table.shape[1]
    picture = table[1:].double().T.unflatten(1, tuple(old_grid)).unsqueeze(0)  # (1, D, h, w)
    still = torch.eye(2, 3, dtype=torch.float64, device=table.device).unsqueeze(0)
    centres = F.affine_grid(still, [1, width, *new_grid], align_corners=False)
    drawn = F.grid_sample(picture, centres, mode="bilinear", padding_mode="border", align_corners=False)
    result = table.new_empty(1 + new_grid[0] * new_grid[1], width)
    result[0] = table[0]
    result[1:] = drawn[0].flatten(1).T.to(table.dtype)
    return result
