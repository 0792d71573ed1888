# %% wrong: rows and columns counted from the pixels
# The grid's size is taken to be the image's divided by CELL, which holds for small_cnn only. A backbone
# that makes cells of another size gives a grid to which these coordinates do not fit.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        cells = self.backbone(images).flatten(2).transpose(1, 2)
        if self.coordinates:
            rows, columns = images.shape[2] // CELL, images.shape[3] // CELL
            x = torch.linspace(-1, 1, columns).repeat(rows)
            y = torch.linspace(-1, 1, rows).repeat_interleave(columns)
            places = torch.stack([x, y], dim=1).to(cells)
            cells = torch.cat([cells, places.expand(len(cells), -1, -1)], dim=2)
        return F.relu(self.project(cells))


# %% wrong: the coordinates are made once and kept
# The places are computed at the first call and kept for all later ones, although the next picture may
# have another grid: then the lengths differ, or a 2 x 6 grid gets the places of a 3 x 4 one.

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
            if self.places is None:  # no need to make them again for every batch
                y, x = torch.meshgrid(torch.linspace(-1, 1, rows), torch.linspace(-1, 1, columns), indexing="ij")
                self.places = torch.stack([x.flatten(), y.flatten()], dim=1).to(cells)
            cells = torch.cat([cells, self.places.expand(B, -1, -1)], dim=2)
        return self.project(cells).relu()


# %% wrong: coordinates of the centres of the cells
# With (2 i + 1) / n - 1 the outermost columns and rows get the centre of their cell, -1 + 1/n and
# 1 - 1/n, and not -1 and 1.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def centres(self, n, like):
        return (2 * torch.arange(n, dtype=like.dtype, device=like.device) + 1) / n - 1

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        if self.coordinates:
            B, _, rows, columns = grid.shape
            x = self.centres(columns, grid).view(1, 1, 1, columns).expand(B, 1, rows, columns)
            y = self.centres(rows, grid).view(1, 1, rows, 1).expand(B, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return torch.relu(self.project(grid.flatten(2).mT))


# %% wrong: y grows upwards as in a diagram
# The y axis is drawn as in mathematics: the top row gets 1 and the bottom row -1.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        B, _, rows, columns = grid.shape
        if self.coordinates:
            x = torch.linspace(-1, 1, columns).to(grid)
            y = torch.linspace(1, -1, rows).to(grid)
            y, x = torch.meshgrid(y, x, indexing="ij")
            grid = torch.cat([grid, x.expand(B, 1, -1, -1), y.expand(B, 1, -1, -1)], dim=1)
        return F.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: the backbone gets no gradient
# The backbone is run under no_grad as if it were a finished tool; nothing in it can learn, although the
# chapter trains encoder and decoder together.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        with torch.no_grad():
            grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            n = torch.arange(rows * columns, device=grid.device)
            x = torch.linspace(-1, 1, columns).to(grid)[n % columns]
            y = torch.linspace(-1, 1, rows).to(grid)[n // columns]
            cells = torch.cat([cells, torch.stack([x, y], 1).repeat(B, 1, 1)], dim=2)
        return F.relu(self.project(cells))


# %% correct: cell by cell in a loop

def coordinate(index, count):
    return 2 * index / (count - 1) - 1 if count > 1 else -1.0


class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[-2:]
        sequence = []
        for row in range(rows):
            for column in range(columns):
                cell = grid[:, :, row, column]
                if self.coordinates:
                    place = cell.new_tensor([coordinate(column, columns), coordinate(row, rows)])
                    cell = torch.cat([cell, place.expand(len(cell), 2)], dim=1)
                sequence.append(self.project(cell).clamp(min=0))
        return torch.stack(sequence, dim=1)


# %% correct: a sum of linear maps kept as a picture

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        _, channels, rows, columns = grid.shape
        weight = self.project.weight
        mapped = torch.einsum("dc,bcij->bijd", weight[:, :channels], grid) + self.project.bias
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            mapped = mapped + x[:, None] * weight[:, channels]
            mapped = mapped + y[:, None, None] * weight[:, channels + 1]
        return mapped.relu().flatten(1, 2)
