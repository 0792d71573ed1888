# %% wrong: y before x
# The row's coordinate is appended first. Shows for any grid of more than one cell.


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
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            places = torch.stack(torch.meshgrid(y, x, indexing="ij"))  # (2, rows, columns)
            grid = torch.cat([grid, places.expand(batch, -1, -1, -1)], dim=1)
        return F.relu(self.project(grid.flatten(2).transpose(1, 2)))


# %% wrong: centres of the cells
# The coordinates are those of the cells' centres, so that they do not reach -1 and 1: for two columns -0.5 and 0.5.


class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        batch, _, rows, columns = grid.shape
        cells = grid.permute(0, 2, 3, 1)  # (B, rows, columns, channels)
        if self.coordinates:
            x = (2 * torch.arange(columns, device=grid.device).to(grid.dtype) + 1) / columns - 1
            y = (2 * torch.arange(rows, device=grid.device).to(grid.dtype) + 1) / rows - 1
            x = x.view(1, 1, columns, 1).expand(batch, rows, columns, 1)
            y = y.view(1, rows, 1, 1).expand(batch, rows, columns, 1)
            cells = torch.cat([cells, x, y], dim=3)
        return F.relu(self.project(cells)).flatten(1, 2)


# %% wrong: no ReLU without coordinates
# The early return of coordinates=False leaves out the ReLU: negative features come out there.


class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)  # (B, C, rows, columns)
        batch, _, rows, columns = grid.shape
        features = grid.flatten(2).transpose(1, 2)  # (B, N, C)
        if not self.coordinates:
            return self.project(features)
        x = torch.linspace(-1, 1, columns).repeat(rows)
        y = torch.linspace(-1, 1, rows).repeat_interleave(columns)
        places = torch.stack([x, y], dim=1).to(features).expand(batch, -1, -1)
        return torch.relu(self.project(torch.cat([features, places], dim=2)))


# %% wrong: places kept by the number of cells
# The coordinates are kept from the call before and made anew only where the number of cells changes: a grid of 2 x 6
# after one of 3 x 4 gets the places of the other.


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
            if self.places is None or len(self.places) != rows * columns:  # only once for pictures of one size
                y, x = torch.meshgrid(torch.linspace(-1, 1, rows), torch.linspace(-1, 1, columns), indexing="ij")
                self.places = torch.stack([x.flatten(), y.flatten()], dim=1)
            cells = torch.cat([cells, self.places.to(cells).expand(len(cells), -1, -1)], dim=2)
        return F.relu(self.project(cells))


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
        sequence = []
        for n in range(rows * columns):
            row, column = divmod(n, columns)
            cell = grid[:, :, row, column]
            if self.coordinates:
                x = -1 + 2 * column / max(columns - 1, 1)
                y = -1 + 2 * row / max(rows - 1, 1)
                cell = torch.cat([cell, cell.new_full((len(cell), 1), x), cell.new_full((len(cell), 1), y)], dim=1)
            sequence.append(self.project(cell).clamp(min=0))
        return torch.stack(sequence, dim=1)


# %% correct: the map in three parts, nothing appended


class GridEncoder(nn.Module):
    def __init__(self, backbone, channels, d_model, coordinates=True):
        super().__init__()
        self.backbone = backbone
        self.coordinates = coordinates
        self.project = nn.Linear(channels + 2 if coordinates else channels, d_model)

    def forward(self, images: Tensor) -> Tensor:
        grid = self.backbone(images)
        channels, rows, columns = grid.shape[1:]
        weight, bias = self.project.weight, self.project.bias
        mapped = torch.einsum("bchw,dc->bhwd", grid, weight[:, :channels]) + bias
        if self.coordinates:
            x = torch.linspace(-1, 1, columns, dtype=grid.dtype, device=grid.device)
            y = torch.linspace(-1, 1, rows, dtype=grid.dtype, device=grid.device)
            mapped = mapped + torch.outer(x, weight[:, channels])  # the same in every row
            mapped = mapped + torch.outer(y, weight[:, channels + 1]).unsqueeze(1)  # the same in every column
        return torch.where(mapped > 0, mapped, torch.zeros_like(mapped)).reshape(len(grid), rows * columns, -1)
