# %% wrong: places by a product that runs the other way
# cartesian_prod(xs, ys) lets y change fastest, the cells lie with x changing fastest: each cell gets another
# one's coordinates. Shows for any grid with two or more rows and columns (on square ones x and y are swapped).

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, _, rows, columns = grid.shape
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            xs = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            ys = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            places = torch.cartesian_prod(xs, ys).expand(batch, -1, -1)
            cells = torch.cat([cells, places], dim=2)
        return torch.relu(self.project(cells))

# %% wrong: the first picture's coordinates for all
# Made once and kept while the number of cells stays the same: a grid of 2 x 3 and then one of 3 x 2 get the same
# coordinates. Shows at the second call, with another grid of as many cells.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)
        self.places = None

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, _, rows, columns = grid.shape
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            if self.places is None or self.places.shape[0] != rows * columns:
                x = torch.linspace(-1, 1, columns).repeat(rows)
                y = torch.linspace(-1, 1, rows).repeat_interleave(columns)
                self.places = torch.stack([x, y], dim=1)
            cells = torch.cat([cells, self.places.to(cells).expand(batch, -1, -1)], dim=2)
        return F.relu(self.project(cells))

# %% wrong: the middle of each cell
# x and y are those of the cells' centers, from -1 + 1/columns to 1 - 1/columns, where the docstring has -1 in
# the first and 1 in the last. Shows for every grid.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, _, rows, columns = grid.shape
        if self.coordinates:
            x = (2 * torch.arange(columns, device=grid.device).to(grid.dtype) + 1) / columns - 1
            y = (2 * torch.arange(rows, device=grid.device).to(grid.dtype) + 1) / rows - 1
            x = x.view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = y.view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))

# %% wrong: one scale for both axes
# Both axes are divided by the longer side's length, so that a step is as long in x as in y; the shorter side
# does not reach 1. Shows for every grid whose rows and columns differ.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, _, rows, columns = grid.shape
        cells = grid.permute(0, 2, 3, 1).reshape(batch, rows * columns, -1)
        if self.coordinates:
            n = torch.arange(rows * columns, device=grid.device)
            step = 2 / (max(rows, columns) - 1)
            x = step * (n % columns) - 1
            y = step * (n // columns) - 1
            places = torch.stack([x, y], dim=1).to(grid.dtype)
            cells = torch.cat([cells, places.expand(batch, -1, -1)], dim=2)
        return torch.relu(self.project(cells))

# %% correct: the linear map as a convolution, and the coordinates added behind it

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[2:]
        weight, channels = self.project.weight, grid.shape[1]
        out = F.conv2d(grid, weight[:, :channels, None, None], self.project.bias)
        if self.coordinates:
            x = 2 * torch.arange(columns, dtype=grid.dtype, device=grid.device) / (columns - 1) - 1
            y = 2 * torch.arange(rows, dtype=grid.dtype, device=grid.device) / (rows - 1) - 1
            of_x, of_y = weight[:, channels], weight[:, channels + 1]
            out = out + (of_x[:, None] * x)[None, :, None, :] + (of_y[:, None] * y)[None, :, :, None]
        return torch.relu(out).flatten(2).mT

# %% correct: cell by cell

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, _, rows, columns = grid.shape
        features = []
        for n in range(rows * columns):
            row, column = divmod(n, columns)
            cell = grid[:, :, row, column]
            if self.coordinates:
                place = cell.new_tensor([2 * column / (columns - 1) - 1, 2 * row / (rows - 1) - 1])
                cell = torch.cat([cell, place.repeat(batch, 1)], dim=1)
            features.append(self.project(cell).relu())
        return torch.stack(features, dim=1)
