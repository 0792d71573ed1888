# %% wrong: a view instead of a transpose
# The shape is right and the content is not: reshaping (B, C, rows, columns) to (B, N, C) cuts each channel's picture
# into pieces and calls them cells. Flatten the two last axes, then swap axes 1 and 2.

# --- before
        cells = grid.flatten(2).transpose(1, 2)
# --- after
        cells = grid.reshape(grid.shape[0], -1, grid.shape[1])

# %% wrong: columns before rows
# The cells follow one another column by column. The docstring wants them row by row: cell n is in row n // columns.

# --- before
        cells = grid.flatten(2).transpose(1, 2)
# --- after
        cells = grid.transpose(2, 3).flatten(2).transpose(1, 2)

# %% wrong: y grows upwards
# y is 1 in the top row and -1 in the bottom row. In an image rows are counted from the top: y goes from -1 at the top
# to 1 at the bottom.

# --- before
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
# --- after
            y = torch.linspace(1, -1, rows, device=grid.device, dtype=grid.dtype)

# %% wrong: y before x
# Both coordinates are there, in the wrong order: what changes from row to row stands where `project` expects x. x is
# the same all the way down a column, and it comes first.

# --- before
            places = torch.stack([x, y]).expand(B, 2, rows, columns)
# --- after
            places = torch.stack([y, x]).expand(B, 2, rows, columns)

# %% wrong: coordinates from 0 to 1
# The coordinates run from 0 to 1. They should run from -1 to 1, so that the middle of the picture is 0.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
# --- after
            x = torch.linspace(0, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(0, 1, rows, device=grid.device, dtype=grid.dtype)

# %% wrong: coordinates count cells
# The coordinates are the numbers 0, 1, 2 of column and row, so their size depends on the grid's. Spread them evenly
# from -1 to 1.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
# --- after
            x = torch.arange(columns, device=grid.device, dtype=grid.dtype)
            y = torch.arange(rows, device=grid.device, dtype=grid.dtype)

# %% wrong: coordinates before the features
# The coordinates come before the channels, so `project` takes them for the first two. Append them after the channels.

# --- before
            grid = torch.cat([grid, places], dim=1)
# --- after
            grid = torch.cat([places, grid], dim=1)

# %% wrong: no ReLU
# Some features are negative: the ReLU after `project` is missing.

# --- before
        return torch.relu(self.project(cells))
# --- after
        return self.project(cells)

# %% wrong: the switch for coordinates is not looked at
# With coordinates=False `project` takes `channels` numbers, and it was given two more. Append coordinates only where
# `self.coordinates` says so.

# --- before
        if self.coordinates:
# --- after
        if True:

# %% wrong: the number of rows in the place of the columns
# A cell's number was divided by the number of rows. A row holds as many cells as there are columns.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
            x, y = x.expand(rows, columns), y.unsqueeze(1).expand(rows, columns)
# --- after
            n = torch.arange(rows * columns, device=grid.device).view(rows, columns)
            x = 2 * (n % rows) / max(rows - 1, 1) - 1
            y = 2 * (n // rows) / max(columns - 1, 1) - 1

# %% wrong: the grid's size is worked out from the image's
# The number of rows and columns was taken from the image, divided by four. Another backbone has other strides: take
# the sizes from the grid.

# --- before
            B, _, rows, columns = grid.shape
# --- after
            B, _, rows, columns = images.shape
            rows, columns = rows // 4, columns // 4

# %% wrong: the backbone is put into evaluation
# In training the backbone was put into evaluation inside `forward`. Its mode is not this module's affair: run it as it
# is.

# --- before
        grid = self.backbone(images)
# --- after
        grid = self.backbone.eval()(images)

# %% wrong: the first picture's coordinates are kept
# The coordinates are made at the first call and stay for all later ones, but the next grid may have other rows and
# columns. Make them in every call.

# --- before
            places = torch.stack([x, y]).expand(B, 2, rows, columns)
# --- after
            self.places = getattr(self, "places", torch.stack([x, y]))
            places = self.places.expand(B, 2, rows, columns)

# %% correct: meshgrid and permute
# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
            x, y = x.expand(rows, columns), y.unsqueeze(1).expand(rows, columns)
# --- after
            ys = torch.linspace(-1, 1, rows, device=grid.device)
            xs = torch.linspace(-1, 1, columns, device=grid.device)
            y, x = torch.meshgrid(ys, xs, indexing="ij")
# --- before
        cells = grid.flatten(2).transpose(1, 2)
# --- after
        cells = grid.permute(0, 2, 3, 1).reshape(len(grid), -1, grid.shape[1])

# %% correct: the notebook's formula for each cell
# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
            x, y = x.expand(rows, columns), y.unsqueeze(1).expand(rows, columns)
# --- after
            n = torch.arange(rows * columns, device=grid.device).view(rows, columns)
            x, y = 2 * (n % columns) / (columns - 1) - 1, 2 * (n // columns) / (rows - 1) - 1

# %% correct: loops over rows and columns
# --- before
        cells = grid.flatten(2).transpose(1, 2)
# --- after
        cells = [grid[:, :, r, c] for r in range(grid.shape[2]) for c in range(grid.shape[3])]
        cells = torch.stack(cells, dim=1)

# %% correct: coordinates side by side
# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
            x, y = x.expand(rows, columns), y.unsqueeze(1).expand(rows, columns)
            places = torch.stack([x, y]).expand(B, 2, rows, columns)
            grid = torch.cat([grid, places], dim=1)
# --- after
            x = torch.linspace(-1, 1, columns, device=grid.device).view(1, 1, 1, -1).expand(B, 1, rows, columns)
            y = torch.linspace(-1, 1, rows, device=grid.device).view(1, 1, -1, 1).expand(B, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)

# %% correct: project as a 1 by 1 convolution
# --- before
        cells = grid.flatten(2).transpose(1, 2)
        return torch.relu(self.project(cells))
# --- after
        out = nn.functional.conv2d(grid, self.project.weight[:, :, None, None], self.project.bias)
        return out.clamp(min=0).flatten(2).transpose(1, 2)
