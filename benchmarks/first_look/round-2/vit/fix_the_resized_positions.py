# %% wrong: the way in mended, the way out not
# The grid is now built with the features in the first axis as it should, but the second reshape is as it was: it reads (D, h', w') as rows of D. On the same grid it is not even the identity any more. A good message: "on the same grid the table must come back: what order has grid before the last reshape?"

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    class_row, patch_rows = table[:1], table[1:]
    grid = patch_rows.T.reshape(1, -1, *old_grid)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])

# %% wrong: width before height
# The rows are read as a grid of w rows and h columns (and written so): right for square grids. A good message: "right from 4 x 4 to 6 x 6, wrong from 2 x 4: old_grid is (h, w), row by row".

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    (h, w), (new_h, new_w) = old_grid, new_grid
    grid = table[1:].reshape(w, h, -1).permute(2, 0, 1).unsqueeze(0)
    grid = F.interpolate(grid, size=(new_w, new_h), mode="bilinear", align_corners=False)
    return torch.cat([table[:1], grid[0].permute(1, 2, 0).reshape(new_h * new_w, -1)])

# %% wrong: the class's row in the picture
# The grid is made of the first h * w rows, so the class token's row is taken for a patch and the last patch is lost; in the end the class row is put in front again. A good message: "the patches' rows begin at row 1; row 0 must have no influence on the others".

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    h, w = old_grid
    grid = table[: h * w].view(1, h, w, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    rows = grid.flatten(2).squeeze(0).T
    return torch.cat((table[:1], rows), dim=0)

# %% correct: two small matrices, one for each direction

def resize_positions(table: Tensor, old_grid: tuple, new_grid: tuple) -> Tensor:
    def along(old: int, new: int) -> Tensor:  # (new, old): how a line of `old` points is read at `new` places
        unit = torch.eye(old, dtype=table.dtype, device=table.device).unsqueeze(0)
        return F.interpolate(unit, size=new, mode="linear", align_corners=False)[0].T

    (h, w), (new_h, new_w) = old_grid, new_grid
    picture = table[1:].unflatten(0, (h, w))
    resized = torch.einsum("ah,bw,hwd->abd", along(h, new_h), along(w, new_w), picture)
    return torch.cat([table[:1], resized.flatten(0, 1)])
