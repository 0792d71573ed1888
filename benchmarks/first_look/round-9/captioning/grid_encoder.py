# %% wrong: reshape where an axis has to move
# (B, C, rows, columns) is reshaped to (B, N, C) at once, so a "cell" is a piece of a channel's plane.
# Shows for every grid with more than one cell and more than one channel.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, channels, rows, columns = grid.shape
        cells = grid.reshape(batch, rows * columns, channels)
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device).repeat(rows)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device).repeat_interleave(columns)
            places = torch.stack([x, y], dim=1).expand(batch, -1, -1)
            cells = torch.cat([cells, places], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: coordinates of the cells' centres
# x and y are those of the cells' centres in a picture from -1 to 1, so the leftmost column has -1 + 1 / columns.
# Shows for every grid: four columns get -0.75, -0.25, 0.25, 0.75.

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
            x = (2 * torch.arange(columns, dtype=grid.dtype, device=grid.device) + 1) / columns - 1
            y = (2 * torch.arange(rows, dtype=grid.dtype, device=grid.device) + 1) / rows - 1
            x = x.view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = y.view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return F.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: the formula of the loop, for one column too
# 2 * column / (columns - 1) - 1 from the notebook's loop is 0 / 0 where the grid has a single column (or row).
# Shows for images whose grid is rows x 1 or 1 x columns: every feature is nan.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, channels, rows, columns = grid.shape
        cells = grid.permute(0, 2, 3, 1).reshape(batch, rows * columns, channels)
        if self.coordinates:
            n = torch.arange(rows * columns, device=grid.device)
            row, column = n // columns, n % columns
            x = 2 * column.to(grid.dtype) / (columns - 1) - 1
            y = 2 * row.to(grid.dtype) / (rows - 1) - 1
            cells = torch.cat([cells, x.view(1, -1, 1).expand(batch, -1, 1), y.view(1, -1, 1).expand(batch, -1, 1)], dim=2)
        return self.project(cells).relu()


# %% wrong: coordinates kept by the number of cells
# The coordinates are made once for each N and kept; a grid of 2 x 3 and one of 3 x 2 have the same N.
# Shows where one encoder reads pictures 8 high and 12 wide and then pictures 12 high and 8 wide.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)
        self.kept = {}

    def places(self, rows, columns):
        if rows * columns not in self.kept:
            y, x = torch.meshgrid(
                torch.linspace(-1, 1, rows, dtype=torch.float64),
                torch.linspace(-1, 1, columns, dtype=torch.float64),
                indexing="ij",
            )
            self.kept[rows * columns] = torch.stack([x.flatten(), y.flatten()], dim=1)
        return self.kept[rows * columns]

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            places = self.places(*grid.shape[2:]).to(cells)
            cells = torch.cat([cells, places.expand(len(cells), -1, -1)], dim=2)
        return F.relu(self.project(cells))


# %% correct: a one by one convolution with the weights of the linear map

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        planes = self.backbone(images)
        if self.coordinates:
            rows, columns = planes.shape[-2:]
            across = torch.linspace(-1, 1, columns, dtype=planes.dtype, device=planes.device)
            down = torch.linspace(-1, 1, rows, dtype=planes.dtype, device=planes.device)
            ones = torch.ones_like(planes[:, :1])
            planes = torch.cat((planes, ones * across, ones * down.unsqueeze(1)), dim=1)
        kernel = self.project.weight.unsqueeze(2).unsqueeze(3)
        out = F.conv2d(planes, kernel, self.project.bias).clamp(min=0)
        return out.flatten(2).mT


# %% correct: cell by cell, each projected alone

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.size(2), grid.size(3)
        features = []
        for n in range(rows * columns):
            row, column = divmod(n, columns)
            cell = grid[:, :, row, column]
            if self.coordinates:
                x = -1 + 2 * column / max(columns - 1, 1)
                y = -1 + 2 * row / max(rows - 1, 1)
                cell = torch.cat([cell, cell.new_tensor([x, y]).repeat(cell.size(0), 1)], dim=1)
            features.append(torch.relu(self.project(cell)))
        return torch.stack(features, dim=1)
