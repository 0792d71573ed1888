# %% wrong: only the first reshape is mended
# The rows are folded into the picture rightly now, but the way back still lays the D planes out one
# after the other. Her own test on the same grid fails as well.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: interpolated along the line of patches
# The rows are taken for one line of h * w places and stretched in one dimension. The end of one row of
# patches is mixed with the beginning of the next; on the same grid nothing changes.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    line = patch_rows.T.unsqueeze(0)  # (1, D, h * w)
    line = F.interpolate(line, size=new_grid[0] * new_grid[1], mode="linear", align_corners=False)
    return torch.cat([class_row, line[0].T])


# %% wrong: bicubic in place of bilinear
# Both reshapes are mended, and the mode is changed to bicubic, as other people's code for Vision
# Transformers has it. Bilinear interpolation was asked for.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    width = table.shape[1]
    grid = patch_rows.reshape(1, *old_grid, width).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bicubic", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, width)])


# %% wrong: one factor for both directions
# The picture is stretched by new height over old height in both directions. From 4 x 4 to 4 x 6 nothing
# is stretched at all, and the table has too few rows.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    D = table.shape[1]
    grid = table[1:].view(1, old_grid[0], old_grid[1], D).permute(0, 3, 1, 2)
    factor = new_grid[0] / old_grid[0]
    grid = F.interpolate(grid, scale_factor=factor, mode="bilinear", align_corners=False)
    return torch.cat([table[:1], grid.flatten(2)[0].T])


# %% wrong: the grid is filled column by column
# The table is folded as w by h and turned, so that its rows run down the columns of patches; the way
# back turns it again. On the same grid the table stays the same, on others rows and columns are mixed.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    h, w = old_grid
    grid = patch_rows.reshape(1, w, h, -1).permute(0, 3, 2, 1)  # (1, D, h, w)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    grid = grid.permute(0, 3, 2, 1).reshape(-1, table.shape[1])
    return torch.cat([class_row, grid])


# %% correct: a matrix for the rows and one for the columns

def stretching(old: int, new: int, like: Tensor) -> Tensor:
    """(new, old): each row says between which two old places a new one lies, and how near to each."""
    matrix = like.new_zeros(new, old)
    for index in range(new):
        place = min(max((index + 0.5) * old / new - 0.5, 0.0), old - 1.0)
        before = int(place)
        after = min(before + 1, old - 1)
        matrix[index, before] += 1 - (place - before)
        matrix[index, after] += place - before
    return matrix


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    (h, w), (new_h, new_w) = old_grid, new_grid
    picture = table[1:].reshape(h, w, -1)
    down, across = stretching(h, new_h, table), stretching(w, new_w, table)
    resized = torch.einsum("ih,jw,hwd->ijd", down, across, picture)
    return torch.vstack([table[:1], resized.flatten(0, 1)])


# %% correct: each feature resized as a picture of its own

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    columns = []
    for feature in table[1:].unbind(dim=1):
        picture = feature.reshape(1, 1, old_grid[0], old_grid[1])
        picture = F.interpolate(picture, size=tuple(new_grid), mode="bilinear", align_corners=False)
        columns.append(picture.flatten())
    return torch.cat((table[:1], torch.stack(columns, dim=-1)), dim=0)
