# %% wrong: reshaped without moving the channels
# The grid (B, C, rows, columns) is reshaped to (B, N, C) as it lies, so a "cell" is a run of one channel's numbers.
# Shows on any grid with more than one cell and more than one channel.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        cells = grid.reshape(B, rows * columns, C)
        if self.coordinates:
            y, x = torch.meshgrid(
                torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device),
                torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device),
                indexing="ij",
            )
            place = torch.stack([x, y], dim=-1).reshape(1, rows * columns, 2).expand(B, -1, -1)
            cells = torch.cat([cells, place], dim=2)
        return F.relu(self.project(cells))


# %% wrong: the row found by dividing by the number of rows
# Cell n's row and column are taken as n // rows and n % rows; right on square grids only.
# Shows wherever rows and columns differ: coordinates beyond 1, or of another cell.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            n = torch.arange(rows * columns, device=grid.device)
            row, column = n // rows, n % rows
            x = 2 * column.to(grid.dtype) / max(columns - 1, 1) - 1
            y = 2 * row.to(grid.dtype) / max(rows - 1, 1) - 1
            place = torch.stack([x, y], dim=1).expand(B, -1, -1)
            cells = torch.cat([cells, place], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: y upwards, as in a plot
# y is 1 in the top row and -1 in the bottom row. Shows for every grid of two rows or more (with coordinates).

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
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(1, -1, rows, dtype=grid.dtype, device=grid.device)
            x = x.view(1, 1, 1, columns).expand(B, 1, rows, columns)
            y = y.view(1, 1, rows, 1).expand(B, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return self.project(grid.flatten(2).transpose(1, 2)).relu()


# %% wrong: the coordinates are made once and kept
# The coordinates are computed at the first call and reused; a second call with a picture of another shape gets those
# of the first: an error, or, with as many cells (2 x 6 after 3 x 4), wrong places without a word.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)
        self.places = None

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[2:]
        cells = grid.flatten(2).transpose(1, 2)
        if self.coordinates:
            if self.places is None:
                x = torch.linspace(-1, 1, columns).repeat(rows)
                y = torch.linspace(-1, 1, rows).repeat_interleave(columns)
                self.places = torch.stack([x, y], dim=1).to(cells)
            cells = torch.cat([cells, self.places.to(cells).expand(len(cells), -1, -1)], dim=2)
        return torch.relu(self.project(cells))


# %% correct: the linear map taken apart into a 1 x 1 convolution and two outer sums

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        channels = grid.shape[1]
        weight, bias = self.project.weight, self.project.bias
        out = F.conv2d(grid, weight[:, :channels, None, None], bias)  # (B, D, rows, columns)
        if self.coordinates:
            x = torch.linspace(-1, 1, grid.shape[3], dtype=grid.dtype, device=grid.device)
            y = torch.linspace(-1, 1, grid.shape[2], dtype=grid.dtype, device=grid.device)
            out = out + (weight[:, channels, None] * x)[:, None, :]  # the same in every row
            out = out + (weight[:, channels + 1, None] * y)[:, :, None]  # the same in every column
        return out.relu().flatten(2).mT


# %% correct: cell by cell, with a list for the sequence

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    @staticmethod
    def place(index, count):
        return -1.0 if count == 1 else (2.0 * index - (count - 1)) / (count - 1)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[-2:]
        sequence = []
        for row in range(rows):
            for column in range(columns):
                cell = grid[:, :, row, column]
                if self.coordinates:
                    x = cell.new_full((cell.shape[0], 1), self.place(column, columns))
                    y = cell.new_full((cell.shape[0], 1), self.place(row, rows))
                    cell = torch.hstack((cell, x, y))
                sequence.append(F.relu(self.project(cell)))
        return torch.stack(sequence, dim=1)
