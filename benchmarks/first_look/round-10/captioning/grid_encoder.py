# %% wrong: meshgrid the other way round
# The two coordinate grids are made with columns as the first axis, so flattened they do not run row by row.
# Promise: cell n lies in row n // columns and in column n % columns, x first. Shows for every grid, 2 x 2 too.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[2:]
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            xs, ys = torch.meshgrid(x, y, indexing="ij")
            places = torch.stack([xs.flatten(), ys.flatten()], dim=1)
            cells = torch.cat([cells, places.expand(len(cells), -1, -1)], dim=2)
        return F.relu(self.project(cells))


# %% wrong: without coordinates no ReLU either
# The early way out for coordinates=False returns the linear map as it is.
# Promise: project "and a ReLU"; coordinates=False only appends nothing. Shows for coordinates=False: negative features.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, _, rows, columns = grid.shape
        if not self.coordinates:
            return self.project(grid.flatten(2).transpose(1, 2))
        x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device).expand(batch, 1, rows, columns)
        y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device).view(1, 1, rows, 1)
        grid = torch.cat([grid, x, y.expand(batch, 1, rows, columns)], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: coordinates kept by the number of cells
# The places are made once and kept while the number of cells is the same.
# Promise: x and y belong to the grid at hand. Shows at the second call, for a grid of 3 x 4 after one of 2 x 6.

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
            if self.places is None or len(self.places) != rows * columns:
                n = torch.arange(rows * columns)
                x = 2 * (n % columns) / (columns - 1) - 1
                y = 2 * (n // columns) / (rows - 1) - 1
                self.places = torch.stack([x, y], dim=1)
            places = self.places.to(cells).expand(batch, -1, -1)
            cells = torch.cat([cells, places], dim=2)
        return F.relu(self.project(cells))


# %% wrong: the step of the rows for the columns too
# The step of x is taken from the rows: 2 / (rows - 1) for both axes.
# Promise: x goes evenly from -1 in the leftmost column to 1 in the rightmost. Shows where rows and columns differ.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        step = 2 / (grid.shape[2] - 1)
        if self.coordinates:
            x = torch.ones_like(grid[:, :1]).cumsum(dim=3)
            y = torch.ones_like(grid[:, :1]).cumsum(dim=2)
            places = torch.cat([x, y], dim=1)
            grid = torch.cat([grid, (places - 1) * step - 1], dim=1)
        return F.relu(self.project(grid.flatten(start_dim=2).mT))


# %% correct: places from affine_grid, the map as a 1 x 1 convolution

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        if self.coordinates:
            identity = torch.eye(2, 3, dtype=grid.dtype, device=grid.device).expand(grid.shape[0], 2, 3)
            size = (grid.shape[0], 1, grid.shape[2], grid.shape[3])
            places = F.affine_grid(identity, size, align_corners=True)  # (B, rows, columns, 2), x and y
            grid = torch.cat((grid, places.permute(0, 3, 1, 2)), dim=1)
        kernel = self.project.weight[:, :, None, None]
        made = F.conv2d(grid, kernel, self.project.bias).clamp(min=0)
        return made.permute(0, 2, 3, 1).flatten(1, 2)


# %% correct: cell by cell in two loops

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.size(2), grid.size(3)
        sequence = []
        for row in range(rows):
            y = -1 + 2 * row / (rows - 1)
            for column in range(columns):
                x = -1 + 2 * column / (columns - 1)
                cell = grid[:, :, row, column]
                if self.coordinates:
                    place = cell.new_tensor([x, y]).repeat(cell.size(0), 1)
                    cell = torch.hstack([cell, place])
                sequence.append(self.project(cell).relu())
        return torch.stack(sequence, dim=1)
