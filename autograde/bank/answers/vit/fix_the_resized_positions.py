# %% wrong: as it was found
# The function is as it was found. Follow one number of the table, row 5, feature 2: where does the first reshape put
# it?

# --- before
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
# --- after
    grid = patch_rows.reshape(1, -1, *old_grid)
# --- before
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).flatten(0, 2)])
# --- after
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])

# %% wrong: mended on the way in alone
# The way into the grid is mended. On the way back the features are still the first axis, and the reshape cuts across
# them.

# --- before
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).flatten(0, 2)])
# --- after
    return torch.cat([class_row, grid.reshape(-1, table.shape[1])])

# %% wrong: mended on the way back alone
# The way back is mended. On the way in, the reshape still takes the first features for the whole picture of the first
# row.

# --- before
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
# --- after
    grid = patch_rows.reshape(1, -1, *old_grid)

# %% wrong: rows and columns exchanged
# Rows and columns of the grid have changed places: the patches come row by row.

# --- before
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
# --- after
    grid = patch_rows.reshape(1, *old_grid[::-1], -1).permute(0, 3, 2, 1)

# %% wrong: along the line, not over the picture
# The rows were stretched along the line of patches, so the end of one row of the picture is blended with the beginning
# of the next. Interpolate over the grid.

# --- before
    grid = patch_rows.reshape(1, *old_grid, -1).permute(0, 3, 1, 2)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).flatten(0, 2)])
# --- after
    grid = patch_rows.T.unsqueeze(0)
    grid = F.interpolate(grid, size=new_grid[0] * new_grid[1], mode="linear", align_corners=False)
    return torch.cat([class_row, grid[0].T])

# %% wrong: the class token comes last
# The class token's row stands at the end. It is the first token.

# --- before
    return torch.cat([class_row, grid.permute(0, 2, 3, 1).flatten(0, 2)])
# --- after
    return torch.cat([grid.permute(0, 2, 3, 1).flatten(0, 2), class_row])

# %% wrong: corner to corner
# The grids were laid corner on corner. A patch covers an area, so the pictures' edges are what falls together: leave
# align_corners as it was found.

# --- before
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
# --- after
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=True)

# %% wrong: bicubic
# The interpolation is bicubic, as much published code has it. The docstring asks for bilinear.

# --- before
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
# --- after
    grid = F.interpolate(grid, size=new_grid, mode="bicubic", align_corners=False)

# %% correct: transposed before the reshape
def resize_positions(table, old_grid, new_grid):
    d_model = table.shape[1]
    grid = table[1:].T.reshape(1, d_model, *old_grid)
    grid = F.interpolate(grid, size=tuple(new_grid), mode="bilinear", align_corners=False)
    return torch.cat([table[:1], grid.reshape(d_model, -1).T], dim=0)

# %% correct: one feature at a time
def resize_positions(table, old_grid, new_grid):
    columns = []
    for feature in table[1:].unbind(dim=1):
        picture = feature.reshape(1, 1, *old_grid)
        resized = F.interpolate(picture, size=new_grid, mode="bilinear", align_corners=False)
        columns.append(resized.flatten())
    return torch.cat([table[:1], torch.stack(columns, dim=1)])

# %% correct: features as a batch
def resize_positions(table, old_grid, new_grid):
    grid = table[1:].reshape(old_grid[0], old_grid[1], -1).movedim(2, 0).unsqueeze(1)
    grid = F.interpolate(grid, size=new_grid, mode="bilinear", align_corners=False)
    rows = grid.squeeze(1).flatten(1).transpose(0, 1)
    return torch.cat((table[0:1], rows))

# %% correct: view and movedim
def resize_positions(table, old_grid, new_grid):
    grid = table[1:].reshape(*old_grid, table.shape[1]).permute(2, 0, 1)[None]
    new = F.interpolate(grid, new_grid, mode="bilinear")[0]
    return torch.cat([table[:1], new.movedim(0, -1).reshape(-1, table.shape[1])])

# %% correct: an empty table filled
def resize_positions(table, old_grid, new_grid):
    new = table.new_empty(1 + new_grid[0] * new_grid[1], table.shape[1])
    new[0] = table[0]
    grid = table[1:].t().contiguous().view(1, -1, old_grid[0], old_grid[1])
    new[1:] = F.interpolate(grid, size=new_grid, mode="bilinear").flatten(2)[0].t()
    return new
