# %% wrong: y before x
# Appends y, then x: wrong wherever a cell is not on the diagonal.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, channels, rows, columns = grid.shape
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device).view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device).view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, y, x], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))

# %% wrong: reshaped instead of moved
# A reshape puts numbers of other channels together; wrong for any grid.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, channels, rows, columns = grid.shape
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device).view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device).view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.reshape(batch, rows * columns, -1)))

# %% wrong: coordinates from 0 to 1
# x and y begin at 0, not at -1.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, channels, rows, columns = grid.shape
        if self.coordinates:
            x = torch.linspace(0, 1, columns, dtype=grid.dtype, device=grid.device).view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = torch.linspace(0, 1, rows, dtype=grid.dtype, device=grid.device).view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))

# %% wrong: column by column
# Cells are numbered down the columns: wrong wherever there are two of each.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, channels, rows, columns = grid.shape
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device).view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device).view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.permute(0, 3, 2, 1).flatten(1, 2)))

# %% correct: a 1 by 1 convolution

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, channels, rows, columns = grid.shape
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device).view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device).view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        maps = F.conv2d(grid, self.project.weight[:, :, None, None], self.project.bias)
        return torch.einsum("bdrc->brcd", maps.clamp(min=0)).reshape(batch, rows * columns, -1)

# %% correct: cell numbers divided

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
            x = (n % columns).to(grid.dtype) * 2 / (columns - 1) - 1
            y = torch.div(n, columns, rounding_mode="floor").to(grid.dtype) * 2 / (rows - 1) - 1
            cells = torch.cat([cells, torch.stack([x, y], dim=1).repeat(batch, 1, 1)], dim=2)
        return F.relu(self.project(cells))

