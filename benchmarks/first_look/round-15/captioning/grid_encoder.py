# %% wrong: coordinates of the cells' middles
# x is (2 column + 1) / columns - 1, which never reaches -1 or 1. For four columns the first x is -0.75. Any grid shows it.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        if self.coordinates:
            batch, _, rows, columns = grid.shape
            x = (2 * torch.arange(columns, device=grid.device, dtype=grid.dtype) + 1) / columns - 1
            y = (2 * torch.arange(rows, device=grid.device, dtype=grid.dtype) + 1) / rows - 1
            x = x.view(1, 1, 1, columns).expand(batch, 1, rows, columns)
            y = y.view(1, 1, rows, 1).expand(batch, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: the coordinates run over the sequence in the wrong order
# repeat and repeat_interleave are exchanged, so x and y fit a sequence that goes column by column. On a square grid they are
# exchanged, on others each cell has the place of another one.

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
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device).repeat_interleave(rows)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device).repeat(columns)
            places = torch.stack([x, y], dim=1).expand(batch, -1, -1)
            cells = torch.cat([cells, places], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: y grows upwards
# As in a coordinate system on paper: 1 in the top row, -1 in the bottom row. The docstring has it the other way round.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images).permute(0, 2, 3, 1)  # (B, rows, columns, channels)
        if self.coordinates:
            rows, columns = grid.shape[1:3]
            y, x = torch.meshgrid(
                torch.linspace(1, -1, rows, dtype=grid.dtype, device=grid.device),
                torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device),
                indexing="ij",
            )
            places = torch.stack([x, y], dim=-1).expand(len(grid), -1, -1, -1)
            grid = torch.cat([grid, places], dim=-1)
        return torch.relu(self.project(grid.flatten(1, 2)))


# %% wrong: the places are made once and kept
# The first call stores the coordinates, for its size of grid. A second call with another size raises, or, where rows and
# columns are exchanged (2 x 3, then 3 x 2), gives cells the places of the first grid.

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
        cells = grid.flatten(2).mT  # (B, N, channels)
        if self.coordinates:
            if self.places is None:
                x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device).repeat(rows)
                y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device).repeat_interleave(columns)
                self.places = torch.stack([x, y], dim=1)  # (N, 2)
            cells = torch.cat([cells, self.places.expand(batch, -1, -1)], dim=2)
        return F.relu(self.project(cells))


# %% correct: cell by cell

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
                place = grid.new_tensor([2 * column / (columns - 1) - 1, 2 * row / (rows - 1) - 1])
                cell = torch.cat([cell, place.expand(len(cell), 2)], dim=1)
            features.append(self.project(cell).clamp(min=0))
        return torch.stack(features, dim=1)


# %% correct: a convolution of one pixel, with the places added afterwards

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
        maps = F.conv2d(grid, weight[:, :channels, None, None], self.project.bias)  # (B, d_model, rows, columns)
        if self.coordinates:
            across = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            down = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            maps = maps + torch.outer(weight[:, channels], across).unsqueeze(1)
            maps = maps + torch.outer(weight[:, channels + 1], down).unsqueeze(2)
        return maps.relu().flatten(2).movedim(1, 2)
