# %% wrong: a view instead of a transpose
# The shape is right and the content is not: reshaping (B, C, rows, columns) to (B, N, C) cuts each channel's picture
# into pieces and calls them cells. Flatten the two last axes, then swap axes 1 and 2.

# --- before
        cells = grid.flatten(2).transpose(1, 2)  # (B, C, rows, columns) -> (B, C, N) -> (B, N, C)
# --- after
        cells = grid.reshape(grid.shape[0], -1, grid.shape[1])  # (B, C, rows, columns) -> (B, C, N) -> (B, N, C)

# %% wrong: columns before rows
# The cells follow one another column by column. The docstring wants them row by row: cell n is in row n // columns.

# --- before
        cells = grid.flatten(2).transpose(1, 2)  # (B, C, rows, columns) -> (B, C, N) -> (B, N, C)
# --- after
        cells = grid.transpose(2, 3).flatten(2).transpose(1, 2)  # (B, C, rows, columns) -> (B, C, N) -> (B, N, C)

# %% wrong: y grows upwards
# y is 1 in the top row and -1 in the bottom row. In an image rows are counted from the top: y goes from -1 at the top
# to 1 at the bottom.

# --- before
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)
# --- after
            y = torch.linspace(1, -1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)

# %% wrong: x grows to the left
# x is 1 in the leftmost column. It goes from -1 at the left to 1 at the right.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)
# --- after
            x = torch.linspace(1, -1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)

# %% wrong: y before x
# Both coordinates are there, in the other order: what changes from row to row stands where `project` expects x. x is
# the same all the way down a column, and it comes first.

# --- before
            grid = torch.cat([grid, torch.stack([x, y]).expand(B, 2, rows, columns)], dim=1)
# --- after
            grid = torch.cat([grid, torch.stack([y, x]).expand(B, 2, rows, columns)], dim=1)

# %% wrong: coordinates from 0 to 1
# The coordinates run from 0 to 1. They are to run from -1 to 1, so that the middle of the picture is 0.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)
# --- after
            x = torch.linspace(0, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)
            y = torch.linspace(0, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)

# %% wrong: coordinates count cells
# The coordinates are the numbers 0, 1, 2 of column and row, so their size depends on the grid's. Spread them evenly
# from -1 to 1.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)
# --- after
            x = torch.arange(columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)
            y = torch.arange(rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)

# %% wrong: coordinates of the cells' centres
# The outermost cells do not have -1 and 1: you took their centres in a picture that runs from -1 to 1. The docstring
# gives -1 and 1 to the outermost cells themselves.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)
# --- after
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns) * (1 - 1 / columns)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns) * (1 - 1 / rows)

# %% wrong: coordinates before the features
# The coordinates stand in front of the channels, so `project` takes them for the first two. Append them behind.

# --- before
            grid = torch.cat([grid, torch.stack([x, y]).expand(B, 2, rows, columns)], dim=1)
# --- after
            grid = torch.cat([torch.stack([x, y]).expand(B, 2, rows, columns), grid], dim=1)

# %% wrong: no ReLU
# Some features are negative: the ReLU after `project` is missing.

# --- before
        return torch.relu(self.project(cells))
# --- after
        return self.project(cells)

# %% wrong: the same coordinates in both places
# Cells of one column cannot be told apart: x was appended twice, and y not at all.

# --- before
            grid = torch.cat([grid, torch.stack([x, y]).expand(B, 2, rows, columns)], dim=1)
# --- after
            grid = torch.cat([grid, torch.stack([x, x]).expand(B, 2, rows, columns)], dim=1)

# %% wrong: the switch for coordinates is not looked at
# With coordinates=False `project` takes `channels` numbers, and it was given two more. Append coordinates only where
# `self.coordinates` says so.

# --- before
        if self.coordinates:
# --- after
        if True:

# %% wrong: zeros in the place of coordinates
# The two appended numbers are the same in every cell, so no cell knows its place. Fill them with x and y.

# --- before
            grid = torch.cat([grid, torch.stack([x, y]).expand(B, 2, rows, columns)], dim=1)
# --- after
            grid = torch.cat([grid, torch.zeros(2, rows, columns).expand(B, 2, rows, columns)], dim=1)

# %% wrong: the backbone is cut off from the gradient
# The features are right, but no gradient reaches the backbone or the image, so the convolutions would never learn. Run
# the backbone without no_grad; whether it is frozen is the backbone's own affair.

# --- before
        grid = self.backbone(images)
# --- after
        with torch.no_grad():
            grid = self.backbone(images)

# %% wrong: one cell too few to a row
# Every cell stands one place later than it should. Cell 0 is the top left one.

# --- before
        cells = grid.flatten(2).transpose(1, 2)  # (B, C, rows, columns) -> (B, C, N) -> (B, N, C)
# --- after
        cells = grid.flatten(2).transpose(1, 2).roll(1, dims=1)  # (B, C, rows, columns) -> (B, C, N) -> (B, N, C)

# %% wrong: the channels are not last
# `project` works on the last axis, and there the channels have to stand. After flattening they are still in the
# middle: swap axes 1 and 2.

# --- before
        cells = grid.flatten(2).transpose(1, 2)  # (B, C, rows, columns) -> (B, C, N) -> (B, N, C)
# --- after
        cells = grid.flatten(2)  # (B, C, rows, columns) -> (B, C, N) -> (B, N, C)

# %% wrong: coordinates that never reach 1
# The last column does not have 1, nor the last row: you divided by the number of columns. From the first to the last
# there is one step fewer than there are columns.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)
# --- after
            x = (2 * torch.arange(columns) / columns - 1).to( device=grid.device, dtype=grid.dtype).expand(rows, columns)
            y = (2 * torch.arange(rows) / rows - 1).to( device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)

# %% wrong: eight columns are assumed
# The places were worked out for a grid of eight by eight. How many rows and columns there are, the grid says.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)
# --- after
            n = torch.arange(rows * columns).view(rows, columns)
            x = n % 8 / 3.5 - 1
            y = n // 8 / 3.5 - 1

# %% wrong: the number of rows in the place of the columns
# A cell's number was divided by the number of rows. A row holds as many cells as there are columns.

# --- before
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).expand(rows, columns)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)
# --- after
            n = torch.arange(rows * columns).view(rows, columns)
            x = 2 * (n % rows) / max(rows - 1, 1) - 1
            y = 2 * (n // rows) / max(columns - 1, 1) - 1

# %% wrong: a view where rows and columns must change places
# The coordinates were made for columns by rows and then reshaped to rows by columns, which mixes them. Make them for
# rows by columns from the start.

# --- before
            grid = torch.cat([grid, torch.stack([x, y]).expand(B, 2, rows, columns)], dim=1)
# --- after
            grid = torch.cat([grid, torch.stack([x.T.reshape(rows, columns), y.T.reshape(rows, columns)]).expand(B, 2, rows, columns)], dim=1)

# %% wrong: the ReLU before project
# The ReLU came before `project`: it cuts off the negative coordinates, and what comes back is not cut at all. Project
# first.

# --- before
        return torch.relu(self.project(cells))
# --- after
        return self.project(torch.relu(cells))

# %% wrong: tanh in the place of ReLU
# The features lie between -1 and 1: tanh was taken. The docstring says ReLU.

# --- before
        return torch.relu(self.project(cells))
# --- after
        return torch.tanh(self.project(cells))

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

# %% wrong: dropout nobody asked for
# In training some features are missing and the others are larger: that is dropout, and the docstring has none.

# --- before
        return torch.relu(self.project(cells))
# --- after
        return nn.functional.dropout(torch.relu(self.project(cells)), 0.2, self.training)

# %% correct: meshgrid and permute

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images):

        grid = self.backbone(images)
        if self.coordinates:
            ys = torch.linspace(-1, 1, grid.shape[2])
            xs = torch.linspace(-1, 1, grid.shape[3])
            y, x = torch.meshgrid(ys, xs, indexing="ij")
            place = torch.stack((x, y)).unsqueeze(0).repeat(len(grid), 1, 1, 1)
            grid = torch.cat((grid, place), 1)
        return self.project(grid.permute(0, 2, 3, 1).reshape(len(grid), -1, grid.shape[1])).relu()

# %% correct: loops over rows and columns

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images):

        grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        cells = []
        for r in range(rows):
            for c in range(columns):
                one = grid[:, :, r, c]
                if self.coordinates:
                    x = -1 + 2 * c / (columns - 1) if columns > 1 else -1.0
                    y = -1 + 2 * r / (rows - 1) if rows > 1 else -1.0
                    one = torch.cat([one, torch.tensor([[x, y]]).expand(B, 2)], dim=1)
                cells.append(torch.relu(self.project(one)))
        return torch.stack(cells, dim=1)

# %% correct: coordinates appended to the cells

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images):

        grid = self.backbone(images)
        B, _, rows, columns = grid.shape
        cells = grid.flatten(2).mT
        if self.coordinates:
            y = torch.linspace(-1, 1, rows).repeat_interleave(columns)
            x = torch.linspace(-1, 1, columns).repeat(rows)
            cells = torch.cat([cells, torch.stack([x, y], 1).expand(B, -1, -1)], dim=2)
        return nn.functional.relu(self.project(cells))

# %% correct: the notebook's formula for each cell

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images):

        grid = self.backbone(images)
        B, _, rows, columns = grid.shape
        features = []
        for n in range(rows * columns):
            row, column = n // columns, n % columns
            cell = grid[:, :, row, column]
            if self.coordinates:
                place = cell.new_tensor([2 * column / (columns - 1) - 1, 2 * row / (rows - 1) - 1])
                cell = torch.hstack([cell, place.expand(B, 2)])
            features.append(self.project(cell).clamp_min(0))
        return torch.stack(features, dim=1)

# %% correct: project as a 1 by 1 convolution

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images):

        grid = self.backbone(images)
        if self.coordinates:
            rows, columns = grid.shape[-2:]
            x = torch.linspace(-1, 1, columns).view(1, 1, 1, columns).expand(len(grid), 1, rows, columns)
            y = torch.linspace(-1, 1, rows).view(1, 1, rows, 1).expand(len(grid), 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        out = nn.functional.conv2d(grid, self.project.weight[:, :, None, None], self.project.bias)
        return out.clamp(min=0).flatten(2).transpose(1, 2)

# %% correct: einsum

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images):

        grid = self.backbone(images)
        W = self.project.weight
        channels = grid.shape[1]
        out = torch.einsum("bcij,dc->bijd", grid, W[:, :channels]) + self.project.bias
        if self.coordinates:
            _, rows, columns, _ = out.shape
            out = out + torch.linspace(-1, 1, columns)[:, None] * W[:, channels]
            out = out + torch.linspace(-1, 1, rows)[:, None, None] * W[:, channels + 1]
        return torch.relu(out).flatten(1, 2)
