# %% wrong: the grid is reshaped without moving the channels
# (B, C, rows, columns) is reshaped to (B, N, C). The shape fits, but each "cell" holds numbers of one channel at many places instead of all the channels of one place.
# Hint: fill a small grid with numbers that tell their channel and place, and print cell 0.

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
            x = torch.linspace(-1, 1, columns, device=grid.device).repeat(rows)
            y = torch.linspace(-1, 1, rows, device=grid.device).repeat_interleave(columns)
            xy = torch.stack([x, y], dim=1).expand(B, -1, -1)
            cells = torch.cat([cells, xy], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: the coordinates are numbered column by column
# meshgrid with "ij" on (x, y) gives arrays of columns by rows, which are flattened column by column, while the cells are row by row. The number of values fits, and the cells get each other's places.
# Hint: print x and y for two rows and three columns, and compare them with the table above the exercise.

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
            x, y = torch.meshgrid(
                torch.linspace(-1, 1, columns, device=grid.device),
                torch.linspace(-1, 1, rows, device=grid.device),
                indexing="ij",
            )
            xy = torch.stack([x.flatten(), y.flatten()], dim=1)
            cells = torch.cat([cells, xy.unsqueeze(0).expand(B, -1, -1)], dim=2)
        return F.relu(self.project(cells))


# %% wrong: y points upwards
# y goes from 1 in the top row to -1 in the bottom row, as in a coordinate system on paper. The docstring counts y downwards, as rows are counted.
# Hint: which y does the docstring give to the top row?

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
            x = torch.linspace(-1, 1, columns, device=grid.device).view(1, 1, 1, columns).expand(B, 1, rows, columns)
            y = torch.linspace(1, -1, rows, device=grid.device).view(1, 1, rows, 1).expand(B, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        cells = grid.flatten(2).permute(0, 2, 1)
        return F.relu(self.project(cells))


# %% wrong: the coordinates are those of the cells' centres
# x and y are the centres of the cells in a picture that goes from -1 to 1. The outermost cells then have less than one: with eight columns 0.875 in place of 1.
# Hint: print the smallest and the largest x and compare them with the docstring.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        B, C, rows, columns = grid.shape
        cells = grid.permute(0, 2, 3, 1)
        if self.coordinates:
            x = (2 * torch.arange(columns, device=grid.device) + 1) / columns - 1
            y = (2 * torch.arange(rows, device=grid.device) + 1) / rows - 1
            x = x.view(1, 1, columns, 1).expand(B, rows, columns, 1)
            y = y.view(1, rows, 1, 1).expand(B, rows, columns, 1)
            cells = torch.cat([cells, x, y], dim=-1)
        return F.relu(self.project(cells.flatten(1, 2)))


# %% wrong: the relu is forgotten
# The features are those of the linear map alone, and may be negative.
# Hint: look at the smallest feature. What does the docstring say comes after `project`?

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
            x = torch.linspace(-1, 1, columns, device=grid.device)[n % columns]
            y = torch.linspace(-1, 1, rows, device=grid.device)[n // columns]
            cells = torch.cat([cells, torch.stack([x, y], dim=1).expand(B, -1, -1)], dim=2)
        return self.project(cells)


# %% correct: the linear map as a convolution of width one

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
            places = torch.zeros(batch, 2, rows, columns, dtype=grid.dtype, device=grid.device)
            places[:, 0] += torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            places[:, 1] += torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device).unsqueeze(1)
            grid = torch.cat([grid, places], dim=1)
        kernel = self.project.weight[:, :, None, None]
        return F.relu(F.conv2d(grid, kernel, self.project.bias)).flatten(2).transpose(1, 2)


# %% correct: a loop over the cells

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
            content = grid[:, :, row, column]
            if self.coordinates:
                x = 2 * column / max(columns - 1, 1) - 1
                y = 2 * row / max(rows - 1, 1) - 1
                place = content.new_tensor([x, y]).expand(len(content), 2)
                content = torch.cat([content, place], dim=1)
            features.append(F.relu(self.project(content)))
        return torch.stack(features, dim=1)
