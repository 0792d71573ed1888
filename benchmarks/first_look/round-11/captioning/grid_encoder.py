# %% wrong: no ReLU
# The projection is returned as it is. Shows wherever a feature is below zero.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        cells = grid.permute(0, 2, 3, 1)  # (B, rows, columns, C)
        batch, rows, columns, _ = cells.shape
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            x = x.view(1, 1, columns, 1).expand(batch, rows, columns, 1)
            y = y.view(1, rows, 1, 1).expand(batch, rows, columns, 1)
            cells = torch.cat([cells, x, y], dim=-1)
        return self.project(cells.reshape(batch, rows * columns, -1))


# %% wrong: a mesh in matrix order
# meshgrid(x, y) with its default indexing gives (columns, rows), so flattened the coordinates go column by column while
# the cells go row by row. Shows for every grid: cell 1 has y = 1 or a step of y in place of a step of x.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, _, rows, columns = grid.shape
        cells = grid.flatten(2).transpose(1, 2)  # (B, N, C)
        if self.coordinates:
            x, y = torch.meshgrid(
                torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device),
                torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device),
                indexing="ij",
            )
            places = torch.stack([x.flatten(), y.flatten()], dim=1)  # (N, 2)
            cells = torch.cat([cells, places.expand(batch, -1, -1)], dim=2)
        return F.relu(self.project(cells))


# %% wrong: the grid's size from the picture's
# Rows and columns are taken to be a quarter of height and width, as with the backbone of this chapter. Another backbone,
# that halves the picture once or three times, gives a shape error.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        rows, columns = images.shape[2] // 4, images.shape[3] // 4
        grid = self.backbone(images)
        cells = grid.flatten(2).permute(0, 2, 1)
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=cells.dtype, device=cells.device).repeat(rows)
            y = torch.linspace(-1, 1, rows, dtype=cells.dtype, device=cells.device).repeat_interleave(columns)
            places = torch.stack([x, y], dim=1).unsqueeze(0).expand(len(cells), -1, -1)
            cells = torch.cat([cells, places], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: the coordinates of the first picture are kept
# They are computed at the first call and used again where the number of cells agrees. A picture of 3 x 2 cells after one
# of 2 x 3 gets the coordinates of the other grid.

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
                x = torch.linspace(-1, 1, columns, dtype=grid.dtype).expand(rows, columns)
                y = torch.linspace(-1, 1, rows, dtype=grid.dtype).unsqueeze(1).expand(rows, columns)
                self.places = torch.stack([x.flatten(), y.flatten()], dim=1)
            places = self.places.to(cells).expand(batch, -1, -1)
            cells = torch.cat([cells, places], dim=2)
        return self.project(cells).relu()


# %% correct: cell by cell

# Two loops walk over the grid, and each cell gets its own x and y as plain numbers.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[2:]
        cells = []
        for row in range(rows):
            for column in range(columns):
                cell = grid[:, :, row, column]
                if self.coordinates:
                    x, y = 2 * column / (columns - 1) - 1, 2 * row / (rows - 1) - 1
                    place = cell.new_tensor([x, y]).expand(len(cell), 2)
                    cell = torch.cat([cell, place], dim=1)
                cells.append(self.project(cell).clamp(min=0))
        return torch.stack(cells, dim=1)


# %% correct: the linear map as a convolution of 1 x 1

# The coordinates are two more channels of the grid, made by affine_grid, and the map is a convolution with its weights.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        if self.coordinates:
            identity = grid.new_tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]).unsqueeze(0)
            places = F.affine_grid(identity, [1, 1, *grid.shape[2:]], align_corners=True)  # (1, rows, columns, 2)
            places = places.permute(0, 3, 1, 2).expand(len(grid), -1, -1, -1)
            grid = torch.cat((grid, places), dim=1)
        weight = self.project.weight[:, :, None, None]
        mapped = F.conv2d(grid, weight, self.project.bias).relu()  # (B, D, rows, columns)
        return torch.einsum("bdrc->brcd", mapped).flatten(1, 2)
