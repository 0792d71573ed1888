# %% wrong: column by column
# Coordinates and cells fit together, but permute(0, 3, 2, 1) runs down the columns: cell n lies in column n // rows. Shows for
# every grid, square or not; attention would not mind, whoever reads the order would.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images).permute(0, 3, 2, 1)  # (B, columns, rows, C)
        batch, columns, rows, _ = grid.shape
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            x = x.view(1, -1, 1, 1).expand(batch, columns, rows, 1)
            y = y.view(1, 1, -1, 1).expand(batch, columns, rows, 1)
            grid = torch.cat([grid, x, y], dim=3)
        return torch.relu(self.project(grid.flatten(1, 2)))

# %% wrong: coordinates kept for this number of cells
# The coordinates are made once and used again as long as the number of cells is the same. After a picture of 2 x 6 cells one of
# 3 x 4 gets the places of the first.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)
        self.places = None

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[2:]
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            if self.places is None or len(self.places) != rows * columns:
                y, x = torch.meshgrid(torch.linspace(-1, 1, rows), torch.linspace(-1, 1, columns), indexing="ij")
                self.places = torch.stack([x.flatten(), y.flatten()], dim=1)
            places = self.places.to(cells).expand(len(cells), -1, -1)
            cells = torch.cat([cells, places], dim=2)
        return F.relu(self.project(cells))

# %% wrong: steps of 2 / columns
# The coordinates begin at -1 but take steps of 2 / columns and 2 / rows, so that the last column and row stay short of 1 (with
# three columns: -1, -1/3, 1/3). Shows for every grid.

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
            x = -1 + 2 * torch.arange(columns, device=grid.device).to(grid.dtype) / columns
            y = -1 + 2 * torch.arange(rows, device=grid.device).to(grid.dtype) / rows
            x = x.expand(batch, 1, rows, columns)
            y = y.unsqueeze(1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.permute(0, 2, 3, 1).flatten(1, 2)))

# %% wrong: the ReLU before the map
# The ReLU goes over the channels and coordinates, and the linear map comes last: features may be negative, and negative
# coordinates, those of the left and upper halves, are lost.

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
            x = torch.linspace(-1, 1, columns).to(grid).view(1, 1, 1, -1).expand(batch, 1, rows, columns)
            y = torch.linspace(-1, 1, rows).to(grid).view(1, 1, -1, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        cells = grid.flatten(2).transpose(1, 2)
        return self.project(F.relu(cells))

# %% correct: a convolution of one cell, and the coordinates added as maps
# The linear map taken apart: its first columns work on the channels, its last two on x and y.
class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        channels, rows, columns = grid.shape[1:]
        weight = self.project.weight[:, :, None, None]
        mapped = F.conv2d(grid, weight[:, :channels], self.project.bias)
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            mapped = mapped + weight[:, channels] * x + weight[:, channels + 1] * y[:, None]
        return mapped.clamp(min=0).flatten(2).mT

# %% correct: cell by cell, with divmod
class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[-2:]
        features = []
        for n in range(rows * columns):
            row, column = divmod(n, columns)
            cell = grid[:, :, row, column]
            if self.coordinates:
                place = [2 * column / (columns - 1) - 1, 2 * row / (rows - 1) - 1]
                place = torch.tensor(place, dtype=cell.dtype, device=cell.device)
                cell = torch.cat([cell, place.repeat(len(cell), 1)], dim=1)
            features.append(self.project(cell).relu())
        return torch.stack(features, dim=1)
