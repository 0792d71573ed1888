# %% wrong: mended on the way in only
# The first reshape is mended, the second left as it was: rows of the result are made of pieces of feature maps. Shows
# for any grid of more than one cell and D above 1, the same grid included.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])


# %% wrong: width by height
# The old grid is unpacked as (w, h) and the new one kept as it is. Right for square old grids; shows for 2 x 3, say.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    width, height = old_grid
    grid = patch_rows.reshape(1, height, width, -1).permute(0, 3, 1, 2)  # (1, D, h, w)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.flatten(2)[0].T])


# %% wrong: bicubic, as other code has it
# The axes are right, the interpolation is cubic and not bilinear. The same grid gives the same table; shows on any other
# where both differ.

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(*old_grid, -1).permute(2, 0, 1).unsqueeze(0)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bicubic", align_corners=False)
    return torch.cat([class_row, grid.squeeze(0).permute(1, 2, 0).flatten(0, 1)])


# %% wrong: without gradients, since it is only a conversion
# The numbers are right, but no gradient goes back to the table: positions cannot be learned through it. Shows in backward.

@torch.no_grad()
def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.reshape(1, *old_grid, table.shape[1]).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).reshape(-1, table.shape[1])])


# %% correct: a matrix for the rows and one for the columns

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    def hats(old, new):
        """(new, old): how much of each old place is in each new one, along one axis."""
        old_places = torch.arange(old, dtype=torch.float64, device=table.device)
        new_places = torch.arange(new, dtype=torch.float64, device=table.device)
        where = ((new_places + 0.5) * old / new - 0.5).clamp(0, old - 1)
        return (1 - (where[:, None] - old_places).abs()).clamp(min=0).to(table.dtype)

    h, w = old_grid
    picture = table[1:].reshape(h, w, table.shape[1])
    picture = torch.einsum("ih,jw,hwd->ijd", hats(h, new_grid[0]), hats(w, new_grid[1]), picture)
    return torch.cat([table[:1], picture.reshape(new_grid[0] * new_grid[1], table.shape[1])])


# %% correct: row by row, each from its four neighbours in the table

from math import floor


def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    def neighbours(place, old, new):
        """The two old places around a new one, each with its share."""
        where = min(max((2 * place + 1) * old / (2 * new) - 0.5, 0.0), old - 1.0)
        low = floor(where)
        return (low, 1 - (where - low)), (min(low + 1, old - 1), where - low)

    rows = [table[0]]
    for row in range(new_grid[0]):
        for column in range(new_grid[1]):
            mixed = torch.zeros_like(table[0])
            for y, share_y in neighbours(row, old_grid[0], new_grid[0]):
                for x, share_x in neighbours(column, old_grid[1], new_grid[1]):
                    if share_x * share_y > 0:
                        mixed = mixed + share_x * share_y * table[1 + y * old_grid[1] + x]
            rows.append(mixed)
    return torch.stack(rows)
