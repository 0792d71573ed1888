# %% wrong: the middles of the cells
# Gives each cell the coordinate of its middle, so x goes from -1 + 1/columns to 1 - 1/columns and not from -1 to 1.
# Shows for every grid.

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
            x = (2 * torch.arange(columns, device=grid.device) + 1).to(grid.dtype) / columns - 1
            y = (2 * torch.arange(rows, device=grid.device) + 1).to(grid.dtype) / rows - 1
            x = x.view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = y.view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: meshgrid with x first
# meshgrid(x, y, indexing="ij") runs column by column, while the cells run row by row. The number of places is the same,
# so it runs. Shows for every grid: cell 1 gets the place of the cell below cell 0.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, _, rows, columns = grid.shape
        cells = grid.flatten(2).transpose(1, 2)  # (B, N, channels)
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            x, y = torch.meshgrid(x, y, indexing="ij")
            places = torch.stack([x.flatten(), y.flatten()], dim=1)  # (N, 2)
            cells = torch.cat([cells, places.expand(batch, -1, -1)], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: y as in a plot
# Lets y grow upwards, from 1 in the top row to -1 in the bottom row. Shows for every grid with coordinates.

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
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(1, -1, rows, dtype=grid.dtype, device=grid.device)
            x = x.expand(batch, 1, rows, columns)
            y = y.unsqueeze(1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: whole numbers only
# Divides with //, so every place between the edges is rounded down to -1 or 0. Right for two and for three columns or
# rows. Shows from four on: x is -1, -1, 0, 1.

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
            x = 2 * torch.arange(columns, device=grid.device) // (columns - 1) - 1
            y = 2 * torch.arange(rows, device=grid.device) // (rows - 1) - 1
            x = x.to(grid.dtype).expand(batch, 1, rows, columns)
            y = y.to(grid.dtype).unsqueeze(1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% correct: the places from affine_grid, the map as a small convolution

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        if self.coordinates:
            unmoved = torch.eye(2, 3, dtype=grid.dtype, device=grid.device).expand(len(grid), -1, -1)
            places = F.affine_grid(unmoved, list(grid.shape), align_corners=True)  # (B, rows, columns, 2)
            grid = torch.cat([grid, places.permute(0, 3, 1, 2)], dim=1)
        kernel = self.project.weight[:, :, None, None]
        features = F.conv2d(grid, kernel, self.project.bias).relu()
        return features.flatten(start_dim=2).transpose(1, 2)


# %% correct: cell by cell, with the coordinates' columns of the weight by hand

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        channels, (rows, columns) = grid.shape[1], grid.shape[2:]
        weight = self.project.weight
        cells = []
        for n in range(rows * columns):
            row, column = divmod(n, columns)
            cell = grid[:, :, row, column] @ weight[:, :channels].T + self.project.bias
            if self.coordinates:
                cell = cell + (2 * column / (columns - 1) - 1) * weight[:, channels]
                cell = cell + (2 * row / (rows - 1) - 1) * weight[:, channels + 1]
            cells.append(cell.clamp(min=0))
        return torch.stack(cells, dim=1)
