# %% wrong: reshape without moving the channels
# The grid (B, C, rows, columns) is reshaped to (B, N, C) as it lies: a "cell" then holds numbers of one channel from many
# cells. It shows on every grid whose channels differ.

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
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            places = torch.stack([x.repeat(rows), y.repeat_interleave(columns)], dim=1)
            cells = torch.cat([cells, places.expand(batch, -1, -1)], dim=2)
        return F.relu(self.project(cells))


# %% wrong: meshgrid gives the row first
# meshgrid(rows, columns) gives y and then x, and they are appended in that order. It shows wherever the two last columns of
# project.weight differ.

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
            axes = [torch.linspace(-1, 1, n, dtype=grid.dtype, device=grid.device) for n in (rows, columns)]
            places = torch.stack(torch.meshgrid(*axes, indexing="ij"))
            grid = torch.cat([grid, places.unsqueeze(0).expand(B, -1, -1, -1)], dim=1)
        return F.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: coordinates of the cells' middles
# x and y are taken at the middle of each cell, so they go from -1 + 1/n to 1 - 1/n and never reach -1 and 1. It shows on
# every grid, most on small ones (two columns give -0.5 and 0.5).

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        cells = grid.permute(0, 2, 3, 1).reshape(B, rows * columns, C)
        if self.coordinates:
            n = torch.arange(rows * columns, device=grid.device)
            x = ((n % columns).to(grid.dtype) + 0.5) / columns * 2 - 1
            y = ((n // columns).to(grid.dtype) + 0.5) / rows * 2 - 1
            cells = torch.cat([cells, torch.stack([x, y], dim=1).expand(B, -1, -1)], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: rows and columns from the picture's size
# Takes for granted that a cell is 4 x 4 pixels. With a backbone that shrinks the picture more or less, the number of places
# does not fit the number of cells, and cat raises an error.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        rows, columns = images.shape[2] // CELL, images.shape[3] // CELL
        cells = self.backbone(images).flatten(2).transpose(1, 2)
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=cells.dtype, device=cells.device).repeat(rows)
            y = torch.linspace(-1, 1, rows, dtype=cells.dtype, device=cells.device).repeat_interleave(columns)
            places = torch.stack([x, y], dim=1).expand(len(images), -1, -1)
            cells = torch.cat([cells, places], dim=2)
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
        height, width = grid.shape[2:]
        found = []
        for row in range(height):
            for column in range(width):
                cell = grid[:, :, row, column]
                if self.coordinates:
                    place = cell.new_tensor([2 * column / (width - 1) - 1, 2 * row / (height - 1) - 1])
                    cell = torch.cat([cell, place.repeat(len(cell), 1)], dim=1)
                found.append(self.project(cell).clamp(min=0))
        return torch.stack(found, dim=1)


# %% correct: the linear map as a product over channels, the places as a sum of two outer parts

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
        mapped = torch.einsum("bcyx,dc->byxd", grid, weight[:, :channels]) + self.project.bias
        if self.coordinates:
            across = torch.arange(columns, device=grid.device).to(grid.dtype) * (2 / (columns - 1)) - 1
            down = torch.arange(rows, device=grid.device).to(grid.dtype) * (2 / (rows - 1)) - 1
            mapped = mapped + torch.outer(across, weight[:, channels])
            mapped = mapped + torch.outer(down, weight[:, channels + 1]).unsqueeze(1)
        return mapped.relu().flatten(1, 2)
