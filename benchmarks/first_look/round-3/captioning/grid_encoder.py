# %% wrong: reshape without moving the channels
# (B, C, rows, columns) is reshaped to (B, N, C): the sizes fit, but a "cell" is made of neighbouring places of one channel.
# Hint: reshape never moves a number; which axis has to be last before you may merge rows and columns?

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
            x = torch.linspace(-1, 1, columns, device=grid.device, dtype=grid.dtype).repeat(rows)
            y = torch.linspace(-1, 1, rows, device=grid.device, dtype=grid.dtype).repeat_interleave(columns)
            places = torch.stack([x, y], dim=1).expand(B, -1, -1)
            cells = torch.cat([cells, places], dim=2)
        return torch.relu(self.project(cells))


# %% wrong: no ReLU
# The ReLU after the projection is missing, so features are negative that should be zero.
# Hint: read the formula above the exercise from the outside inwards; what comes last?

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
            y, x = torch.meshgrid(
                torch.linspace(-1, 1, rows).to(grid), torch.linspace(-1, 1, columns).to(grid), indexing="ij"
            )
            places = torch.stack([x.flatten(), y.flatten()], dim=1).unsqueeze(0).expand(B, -1, -1)
            cells = torch.cat([cells, places], dim=2)
        return self.project(cells)


# %% wrong: coordinates of the cells' centres
# x and y are those of the middles of the cells, (2c + 1) / columns - 1, so the edges are not at -1 and 1 as the docstring promises.
# Hint: which x does your leftmost column have?

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
            x = (2 * torch.arange(columns, device=grid.device) + 1).to(grid.dtype) / columns - 1
            y = (2 * torch.arange(rows, device=grid.device) + 1).to(grid.dtype) / rows - 1
            x = x.view(1, 1, 1, columns).expand(B, 1, rows, columns)
            y = y.view(1, 1, rows, 1).expand(B, 1, rows, columns)
            grid = torch.cat([grid, x, y], dim=1)
        return F.relu(self.project(grid.permute(0, 2, 3, 1).flatten(1, 2)))


# %% wrong: cells counted by rows in place of columns
# The place n is taken apart with n // rows and n % rows; on a square grid nobody notices, on any other the coordinates are wrong.
# Hint: the docstring divides n by something; by what? Try a grid of two rows and three columns.

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.shape[-2:]
        cells = grid.permute(0, 2, 3, 1).reshape(grid.shape[0], rows * columns, -1)
        if self.coordinates:
            n = torch.arange(rows * columns, device=grid.device)
            x = 2 * (n % rows) / max(columns - 1, 1) - 1
            y = 2 * (n // rows) / max(rows - 1, 1) - 1
            places = torch.stack([x, y], dim=1).to(cells.dtype)
            cells = torch.cat([cells, places.expand(len(cells), -1, -1)], dim=2)
        return F.relu(self.project(cells))


# %% correct: coordinates as channels, and a loop over the rows

class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        rows, columns = grid.size(2), grid.size(3)
        xs = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
        ys = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
        strips = []
        for r in range(rows):
            strip = grid[:, :, r, :].transpose(1, 2)
            if self.coordinates:
                ones = strip.new_ones(strip.size(0), columns)
                strip = torch.cat([strip, torch.stack([ones * xs, ones * ys[r]], dim=-1)], dim=-1)
            strips.append(self.project(strip).clamp(min=0))
        return torch.cat(strips, dim=1)


# %% correct: the linear map as two sums

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
        mapped = torch.einsum("bcij,dc->bijd", grid, weight[:, :channels]) + bias
        if self.coordinates:
            x = torch.linspace(-1, 1, grid.shape[3]).to(grid)
            y = torch.linspace(-1, 1, grid.shape[2]).to(grid)
            mapped = mapped + x[:, None] * weight[:, channels] + y[:, None, None] * weight[:, channels + 1]
        return mapped.relu().flatten(start_dim=1, end_dim=2)
