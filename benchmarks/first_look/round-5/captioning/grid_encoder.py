# %% wrong: numbered column by column
# The axes are turned completely, so that the cells go down the columns: cell n lies in column n // rows. Each cell keeps
# its own coordinates, and a model trains well with it.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        if self.coordinates:
            x = torch.linspace(-1, 1, columns).view(1, 1, 1, columns).expand(B, 1, rows, columns)
            y = torch.linspace(-1, 1, rows).view(1, 1, rows, 1).expand(B, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        cells = grid.transpose(1, 3).flatten(1, 2)
        return F.relu(self.project(cells))


# %% wrong: coordinates of the centre of each cell
# The coordinates are those of the middle of each cell, as in grid_sample: the outermost are 1/columns inside the edge,
# and not at -1 and 1.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        B, _, rows, columns = grid.shape
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            x = (torch.arange(columns) + 0.5) / columns * 2 - 1
            y = (torch.arange(rows) + 0.5) / rows * 2 - 1
            places = torch.stack([x.repeat(rows), y.repeat_interleave(columns)], dim=1)
            cells = torch.cat([cells, places.expand(B, -1, -1)], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: the coordinates of the first picture are kept
# They are made at the first call and used ever after. A grid of another shape gets the old ones (3 by 2 those of 2 by
# 3), and one with another number of cells an error.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)
        self.places = None

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        cells = grid.permute(0, 2, 3, 1).reshape(B, rows * columns, C)
        if self.coordinates:
            if self.places is None:
                ys, xs = torch.meshgrid(torch.linspace(-1, 1, rows), torch.linspace(-1, 1, columns), indexing="ij")
                self.places = torch.stack([xs, ys], dim=-1).reshape(1, -1, 2)
            cells = torch.cat([cells, self.places.expand(B, -1, -1)], dim=-1)
        return self.project(cells).relu()


# %% wrong: takes the cells to be four pixels wide
# Rows and columns are computed as H/4 and W/4 instead of being read off the grid: true for the course's own network
# only, and the backbone may be any module.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        B, _, H, W = images.shape
        rows, columns = H // 4, W // 4
        features = self.backbone(images).flatten(2).permute(0, 2, 1)
        if self.coordinates:
            x = torch.linspace(-1, 1, columns).repeat(rows)
            y = torch.linspace(-1, 1, rows).repeat_interleave(columns)
            xy = torch.stack([x, y], dim=1).unsqueeze(0).repeat(B, 1, 1)
            features = torch.cat([features, xy], dim=2)
        return F.relu(self.project(features))


# %% wrong: the coordinates come from a turned meshgrid
# meshgrid with "ij" and x first makes tables of (columns, rows): flattened they go down the columns, while the cells go
# along the rows. The pairs of numbers are all there, in the wrong cells.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        cells = grid.view(B, C, rows * columns).transpose(1, 2)
        if self.coordinates:
            x, y = torch.meshgrid(torch.linspace(-1, 1, columns), torch.linspace(-1, 1, rows), indexing="ij")
            x = x.reshape(1, -1, 1).expand(B, -1, 1)
            y = y.reshape(1, -1, 1).expand(B, -1, 1)
            cells = torch.cat([cells, x, y], dim=2)
        return F.relu(self.project(cells))


# %% correct: cell by cell in two loops

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[2:]
        sequence = []
        for row in range(rows):
            for column in range(columns):
                cell = grid[:, :, row, column]
                if self.coordinates:
                    x = 2 * column / (columns - 1) - 1 if columns > 1 else -1.0
                    y = 2 * row / (rows - 1) - 1 if rows > 1 else -1.0
                    place = cell.new_tensor([x, y]).expand(cell.shape[0], 2)
                    cell = torch.cat([cell, place], dim=1)
                sequence.append(self.project(cell).clamp(min=0))
        return torch.stack(sequence, dim=1)


# %% correct: a convolution of one pixel, and places as a bias

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def _ramp(self, like: Tensor, count: int) -> Tensor:
        return torch.linspace(-1, 1, count, device=like.device, dtype=like.dtype)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        channels, rows, columns = grid.shape[1:]
        weight = self.project.weight
        made = F.conv2d(grid, weight[:, :channels, None, None], self.project.bias)
        if self.coordinates:
            made = made + weight[:, channels, None, None] * self._ramp(grid, columns)[None, :]
            made = made + weight[:, channels + 1, None, None] * self._ramp(grid, rows)[:, None]
        return F.relu(made).flatten(start_dim=2).mT
