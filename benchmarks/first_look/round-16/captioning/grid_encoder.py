# %% wrong: the coordinates of the cells' centers
# The picture goes from -1 to 1 and each cell gets the place of its middle: the leftmost column has -1 + 1/columns, not -1.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        size, _, rows, columns = grid.shape
        if self.coordinates:
            x = (2 * torch.arange(columns, device=grid.device, dtype=grid.dtype) + 1) / columns - 1
            y = (2 * torch.arange(rows, device=grid.device, dtype=grid.dtype) + 1) / rows - 1
            x, y = x.view(1, 1, 1, -1), y.view(1, 1, -1, 1)
            grid = torch.cat([grid, x.expand(size, 1, rows, columns), y.expand(size, 1, rows, columns)], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: y grows upward
# y as in a school's coordinate system: 1 in the top row, -1 in the bottom row. Any picture.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        size, _, rows, columns = grid.shape
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).view(1, 1, 1, -1)
            y = torch.linspace(1, -1, rows, device=grid.device, dtype=grid.dtype).view(1, 1, -1, 1)
            grid = torch.cat([grid, x.expand(size, 1, rows, columns), y.expand(size, 1, rows, columns)], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: coordinates numbered column by column
# torch.cartesian_prod(x, y) runs through the rows first, so cell n gets the place of another cell; the features are in
# raster order. Only the corners (0 and the last) are right.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        size, _, rows, columns = grid.shape
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
            places = torch.cartesian_prod(x, y)  # (N, 2)
            cells = torch.cat([cells, places.expand(size, -1, -1)], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: one scale for both axes
# The longer side goes from -1 to 1 and the shorter one keeps the proportions: the shorter axis does not reach 1.
# Shows where rows and columns differ.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        size, _, rows, columns = grid.shape
        if self.coordinates:
            half = (max(rows, columns) - 1) / 2
            x = (torch.arange(columns, device=grid.device, dtype=grid.dtype) - (columns - 1) / 2) / half
            y = (torch.arange(rows, device=grid.device, dtype=grid.dtype) - (rows - 1) / 2) / half
            x, y = x.view(1, 1, 1, -1), y.view(1, 1, -1, 1)
            grid = torch.cat([grid, x.expand(size, 1, rows, columns), y.expand(size, 1, rows, columns)], dim=1)
        return torch.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% correct: the linear map as a convolution of size one, coordinates as outer products

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        size, _, rows, columns = grid.shape
        weight, bias = self.project.weight, self.project.bias
        channels = grid.shape[1]
        mapped = torch.einsum("bcij,dc->bijd", grid, weight[:, :channels]) + bias
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype)
            mapped = mapped + torch.outer(x, weight[:, channels])  # (columns, D)
            mapped = mapped + torch.outer(y, weight[:, channels + 1]).unsqueeze(1)
        return mapped.reshape(size, rows * columns, -1).clamp(min=0)


# %% correct: cell by cell, with divmod

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        size, _, rows, columns = grid.shape
        cells = []
        for n in range(rows * columns):
            row, column = divmod(n, columns)
            cell = grid[:, :, row, column]
            if self.coordinates:
                place = cell.new_tensor([2 * column / (columns - 1) - 1, 2 * row / (rows - 1) - 1])
                cell = torch.hstack((cell, place.repeat(size, 1)))
            cells.append(F.relu(self.project(cell)))
        return torch.stack(cells, dim=1)
