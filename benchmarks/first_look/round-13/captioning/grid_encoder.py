# %% wrong: y points upward
# y goes from 1 in the top row to -1 in the bottom row, as in a graph of mathematics; asked for is -1 at the top. Shows
# for every picture with coordinates.

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
            x = x.view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = y.view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return F.relu(self.project(grid.flatten(2).transpose(1, 2)))

# %% wrong: cells of four pixels
# Rows and columns are computed from the picture and the notebook's CELL instead of read off the grid: a backbone that
# shrinks the picture by 2 or 8 makes another number of cells, and the shapes do not fit.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        batch, _, height, width = images.shape
        rows, columns = height // CELL, width // CELL
        cells = self.backbone(images).flatten(2).transpose(1, 2)
        if self.coordinates:
            y = torch.linspace(-1, 1, rows, dtype=cells.dtype, device=cells.device)
            x = torch.linspace(-1, 1, columns, dtype=cells.dtype, device=cells.device)
            places = torch.stack([x.repeat(rows), y.repeat_interleave(columns)], dim=1)
            cells = torch.cat([cells, places.expand(batch, -1, -1)], dim=2)
        return torch.relu(self.project(cells))

# %% wrong: the coordinates stop short of the right and lower edge
# 2 * column / columns - 1 instead of / (columns - 1): the last column gets 1 - 2 / columns, not 1 (and the last row too).
# Shows for every picture with coordinates.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images).permute(0, 2, 3, 1)  # (B, rows, columns, channels)
        batch, rows, columns, _ = grid.shape
        if self.coordinates:
            x = 2 * torch.arange(columns, device=grid.device).to(grid.dtype) / columns - 1
            y = 2 * torch.arange(rows, device=grid.device).to(grid.dtype) / rows - 1
            x = x[None, None, :, None].expand(batch, rows, columns, 1)
            y = y[None, :, None, None].expand(batch, rows, columns, 1)
            grid = torch.cat([grid, x, y], dim=3)
        return F.relu(self.project(grid.reshape(batch, rows * columns, -1)))

# %% wrong: a meshgrid the other way round
# indexing="xy" gives (columns, rows) for these arguments: the coordinates come column by column, the cells row by row.
# Flattened, both have N entries; on a square grid x and y are exchanged, on any other they are mixed up.

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
            y, x = torch.meshgrid(
                torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device),
                torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device),
                indexing="xy",
            )
            places = torch.stack([x.flatten(), y.flatten()], dim=1)
            cells = torch.cat([cells, places.expand(batch, -1, -1)], dim=2)
        return F.relu(self.project(cells))

# %% correct: coordinates from affine_grid

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        cells = grid.movedim(1, -1)
        if self.coordinates:
            as_it_is = torch.eye(2, 3, dtype=grid.dtype, device=grid.device)
            as_it_is = as_it_is.expand(len(grid), 2, 3)
            places = F.affine_grid(as_it_is, list(grid.shape), align_corners=True)  # (B, rows, columns, 2)
            cells = torch.cat([cells, places], dim=-1)
        return self.project(cells).clamp_min(0).flatten(1, 2)

# %% correct: a convolution of width one, plus what the places add

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        channels, rows, columns = grid.shape[1:]
        weight = self.project.weight
        summed = F.conv2d(grid, weight[:, :channels, None, None], self.project.bias)
        if self.coordinates:
            x = grid.new_tensor([2 * c / (columns - 1) - 1 for c in range(columns)])
            y = grid.new_tensor([2 * r / (rows - 1) - 1 for r in range(rows)])
            summed = summed + torch.outer(weight[:, -2], x).unsqueeze(1)
            summed = summed + torch.outer(weight[:, -1], y).unsqueeze(2)
        cells = [summed[:, :, r, c] for r in range(rows) for c in range(columns)]
        return torch.relu(torch.stack(cells, dim=1))
