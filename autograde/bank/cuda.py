"""Wrong and correct answers of chapter 09."""

from autograde.bank import Bank, Correct, Wrong, edit

# ---- 9.1 ------------------------------------------------------------------------------------------------------------

_GUARD = """
def measure_throughput(step, items, num_steps, warm_up, synchronize, clock=time.perf_counter):
    if num_steps < 1 or warm_up < 0:
        raise ValueError(f"got num_steps {num_steps} and warm_up {warm_up}")
"""
_BEGIN = "    synchronize()\n    start = clock()"
_END = "    synchronize()\n    return"

measure_throughput = Bank(
    "measure_throughput",
    wrong=[
        Wrong(
            "the clock read before the work is done",
            edit((_END, "    return")),
            "The second reading came while the device still had work in its queue: what was timed is how fast steps are "
            "asked for. Wait for the device before each reading of the clock. See section 9.2.",
        ),
        Wrong(
            "not waited for after the warm-up",
            edit((_BEGIN, "    start = clock()")),
            "Work that the warm-up had left in the queue was done after the clock had started, and so was timed. Wait for "
            "the device before the first reading too. See section 9.2.",
        ),
        Wrong(
            "the clock starts before the wait",
            edit((_BEGIN, "    start = clock()\n    synchronize()")),
            "The first reading came before the wait, so the rest of the warm-up's work was timed. Change the order of the "
            "two. See section 9.2.",
        ),
        Wrong(
            "waited for only where there is a warm-up",
            edit((_BEGIN, "    if warm_up:\n        synchronize()\n    start = clock()")),
            "Without a warm-up the clock started while others' work was still in the queue, and that was timed too. Wait "
            "for the device before the first reading in every case. See section 9.2.",
        ),
        Wrong(
            "the warm-up is timed",
            edit(
                (_BEGIN, ""),
                (
                    "    for _ in range(warm_up):",
                    "    synchronize()\n    start = clock()\n    for _ in range(warm_up):",
                ),
            ),
            "The clock was started before the first calls, which are slow because things are compiled and memory is asked "
            "for. Start it after them. See section 9.2.",
        ),
        Wrong(
            "no warm-up",
            edit(("    for _ in range(warm_up):\n        step()\n", "")),
            "step was not called before the clock started, so the slow first calls are in the time. Call it warm_up times "
            "first. See section 9.2.",
        ),
        Wrong(
            "the device waited for after every step",
            edit(
                ("        step()\n    synchronize()\n    return", "        step()\n        synchronize()\n    return")
            ),
            "After each step the program waited until the device had nothing left to do, so launching and working never "
            "overlapped, which they do in training. Wait once, at the end. See section 9.2.",
        ),
        Wrong(
            "seconds for each item",
            edit(("items * num_steps / (clock() - start)", "(clock() - start) / (items * num_steps)")),
            "That is the time an item takes. Items in a second are asked for: turn the fraction round. "
            "See section 9.2.",
        ),
        Wrong(
            "steps per second",
            edit(("items * num_steps", "num_steps")),
            "That is how many steps a second has. Each of them handles several items. See section 9.2.",
        ),
        Wrong(
            "the items of one step over the time of all",
            edit(("items * num_steps", "items")),
            "The time is that of all num_steps calls, and the items are those of one. Count the items of all of them. "
            "See section 9.2.",
        ),
        Wrong(
            "the warm-up's items counted",
            edit(("items * num_steps", "items * (num_steps + warm_up)")),
            "The items of the warm-up are in the count, but not in the time. Leave them out of both. See section 9.2.",
        ),
        Wrong(
            "a clock of its own",
            edit(("clock()", "time.perf_counter()")),
            "The time was taken from another clock than the argument. Read the one that was given: it may be a device's. "
            "See section 9.2.",
        ),
        Wrong(
            "no ValueError",
            edit(("if num_steps < 1 or warm_up < 0:", "if False:")),
            "Settings that mean nothing were taken without a word. Look at num_steps and warm_up first and raise "
            "ValueError with the numbers in it. See section 9.2.",
        ),
        Wrong(
            "no warm-up is refused",
            edit(("warm_up < 0", "warm_up < 1")),
            "A warm_up of 0 is allowed: only what is below 0 is refused. See section 9.2.",
        ),
    ],
    correct=[
        Correct(
            "waited for where nothing is pending too",
            edit(
                (
                    "    for _ in range(warm_up):\n        step()\n",
                    "    for _ in range(warm_up):\n        step()\n        synchronize()\n",
                )
            ),
        ),
        Correct(
            "both readings have names",
            edit(
                (
                    "    return items * num_steps / (clock() - start)",
                    "    end = clock()\n    return items / ((end - start) / num_steps)",
                )
            ),
        ),
        Correct(
            "while loops",
            _GUARD
            + """
    done = 0
    while done < warm_up:
        step()
        done += 1
    synchronize()
    before, done = clock(), 0
    while done < num_steps:
        step()
        done += 1
    synchronize()
    after = clock()
    return num_steps * items / (after - before)
""",
        ),
        Correct(
            "a helper",
            _GUARD
            + """
    def seconds(calls):
        synchronize()
        start = clock()
        for _ in range(calls):
            step()
        synchronize()
        return clock() - start

    seconds(warm_up)
    return items * num_steps / seconds(num_steps)
""",
        ),
        Correct(
            "one loop, the clock read on the way",
            _GUARD
            + """
    for call in range(warm_up + num_steps):
        if call == warm_up:
            synchronize()
            start = clock()
        step()
    synchronize()
    return float(items * num_steps) / (clock() - start)
""",
        ),
    ],
)

# ---- 9.2 ------------------------------------------------------------------------------------------------------------

_UNSCALE = "    scaler.unscale_(optimizer)  # the threshold is about true gradients, so first the scale goes\n"
_CLIP = "    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)\n"
_STEP = "    scaler.step(optimizer)\n"
_AUTOCAST = "    with torch.autocast(device.type, dtype=dtype, enabled=dtype != torch.float32):\n"

train_step = Bank(
    "train_step",
    wrong=[
        Wrong(
            "clipped before the scale is gone",
            edit((_UNSCALE + _CLIP, _CLIP + _UNSCALE)),
            "The gradients that were clipped still had the scaler's scale in them, so the threshold was reached that much "
            "sooner. Ask the scaler to take it away first, then clip: by itself it does so only when it steps. "
            "See section 9.4.",
        ),
        Wrong(
            "nothing clipped",
            edit((_CLIP, '    norm = nn.utils.clip_grad_norm_(model.parameters(), float("inf"))\n')),
            "The gradients were measured, but a gradient longer than max_norm was used as it was. Clip at max_norm. "
            "See section 9.4.",
        ),
        Wrong(
            "every parameter clipped by itself",
            edit(
                (
                    _CLIP,
                    "    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])\n"
                    "    for parameter in model.parameters():\n"
                    "        nn.utils.clip_grad_norm_([parameter], max_norm)\n",
                )
            ),
            "Each parameter's gradient was cut to max_norm, which turns the direction of the step. The norm is that of all "
            "parameters together, and all are shortened by one factor. See section 9.4.",
        ),
        Wrong(
            "values clipped, not the norm",
            edit(
                (
                    _CLIP,
                    "    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])\n"
                    "    nn.utils.clip_grad_value_(model.parameters(), max_norm)\n",
                )
            ),
            "Every entry was cut to max_norm, which turns the direction of the step. The norm of all gradients together is "
            "to be cut, and all of them shortened by one factor. See section 9.4.",
        ),
        Wrong(
            "the norm after clipping",
            edit(
                (_CLIP, _CLIP + "    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])\n"),
            ),
            "The norm that came back is never above max_norm, so it tells nothing about the gradients. Return the one that "
            "was measured before clipping. See section 9.4.",
        ),
        Wrong(
            "the scaled norm comes back",
            edit(
                (
                    _UNSCALE + _CLIP,
                    "    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])\n"
                    + _UNSCALE
                    + _CLIP.replace("norm = ", "", 1),
                )
            ),
            "The norm that came back was measured while the scale was in the gradients. Measure after the scale is gone. "
            "See section 9.4.",
        ),
        Wrong(
            "the optimizer steps by itself",
            edit((_STEP, "    optimizer.step()\n")),
            "The optimizer was asked to step directly, so a gradient that had become infinite went into the weights. Let "
            "the scaler do it: it leaves such a step out. See section 9.4.",
        ),
        Wrong(
            "the scaler is not updated",
            edit(("    scaler.update()\n", "")),
            "The scale is the same whatever happens, and this scaler will not know that a step is over. Ask it to update "
            "after the step. See section 9.4.",
        ),
        Wrong(
            "the scaler updated before the step",
            edit((_STEP + "    scaler.update()\n", "    scaler.update()\n" + _STEP)),
            "The update ends a step for the scaler: it forgot that the scale was gone from these gradients, and when it "
            "stepped it divided by the scale once more. First the step, then the update. See section 9.4.",
        ),
        Wrong(
            "unscaled by hand",
            edit(
                (
                    _UNSCALE,
                    "    for parameter in model.parameters():\n"
                    "        if parameter.grad is not None:\n"
                    "            parameter.grad /= scaler.get_scale()\n",
                )
            ),
            "The gradients were divided by the scale twice: here, and by the scaler when it stepped, since nobody had told "
            "it that the scale was gone. Let the scaler take it away, then it knows. See section 9.4.",
        ),
        Wrong(
            "unscaled and clipped after the step",
            edit((_UNSCALE + _CLIP + _STEP, _STEP + _UNSCALE + _CLIP)),
            "The scale was taken away and the gradients clipped after the scaler had stepped, when it is too late for both. "
            "Unscale, clip, and then step. See section 9.4.",
        ),
        Wrong(
            "the gradients cleared before they are unscaled",
            edit(
                (
                    "    scaler.scale(loss).backward()\n",
                    "    scaler.scale(loss).backward()\n    optimizer.zero_grad()\n",
                )
            ),
            "The gradients were taken away between the backward pass and the step, so the scaler found none. Clear them "
            "before the backward pass. See section 9.4.",
        ),
        Wrong(
            "nothing clipped with a scaler that is switched off",
            edit((_CLIP, _CLIP.replace("max_norm)", 'max_norm if scaler.is_enabled() else float("inf"))'))),
            "With a scaler that is switched off, as for float32 and bfloat16, long gradients were used as they were. The "
            "threshold holds in every case. See section 9.4.",
        ),
        Wrong(
            "the loss comes back with its graph",
            edit(("return loss.detach(), norm", "return loss, norm")),
            "A graph hangs on the loss that came back, so whoever keeps the losses keeps every step's graph. Detach it. "
            "See section 9.4.",
        ),
        Wrong(
            "a number read off the loss, and wrapped up again",
            edit(("return loss.detach(), norm", "return torch.tensor(loss.item()), norm")),
            "The loss is a tensor again, but on the way it was read as a number, and for that the program waits for the "
            "device at every step. Detach it and leave it where it is. See section 9.4.",
        ),
        Wrong(
            "evaluation mode",
            edit(("    optimizer.zero_grad()\n", "    optimizer.zero_grad()\n    model.eval()\n")),
            "The model computed in evaluation mode, in which dropout does nothing: this is a step of training. Leave its "
            "mode as it is. See section 9.4.",
        ),
        Wrong(
            "always cut to max_norm",
            edit(
                (
                    _CLIP,
                    "    norm = nn.utils.get_total_norm([p.grad for p in model.parameters()])\n"
                    "    for parameter in model.parameters():\n"
                    "        parameter.grad *= max_norm / norm\n",
                )
            ),
            "Every gradient was made max_norm long, short ones too. Only a longer one is cut. See section 9.4.",
        ),
        Wrong(
            "the model made bfloat16 in place of autocast",
            edit(
                (
                    _AUTOCAST + "        loss = loss_of(model, batch)\n",
                    "    loss = loss_of(model.to(dtype), batch)\n    model.float()\n",
                )
            ),
            "The weights themselves were rounded to the dtype, and what training adds to them is lost in the rounding. "
            "Autocast makes rounded copies for the products and leaves the weights in float32. See section 9.4.",
        ),
        Wrong(
            "gradients not cleared",
            edit(("    optimizer.zero_grad()\n", "")),
            "Gradients from before were added to these. Clear them before the backward pass. See section 9.4.",
        ),
        Wrong(
            "gradients cleared after the backward pass",
            edit(
                ("    optimizer.zero_grad()\n", ""),
                (_UNSCALE, "    for parameter in model.parameters():\n        parameter.grad.zero_()\n" + _UNSCALE),
            ),
            "The gradients were cleared between the backward pass and the step, so nothing was left to step along. Clear "
            "them before the backward pass. See section 9.4.",
        ),
        Wrong(
            "gradients cleared at the end only",
            edit(
                ("    optimizer.zero_grad()\n", ""),
                ("    scaler.update()\n", "    scaler.update()\n    optimizer.zero_grad()\n"),
            ),
            "What stood in the gradients before the first call was added to its own. Clear them before the backward pass, "
            "rather than after the step. See section 9.4.",
        ),
        Wrong(
            "no autocast",
            edit((_AUTOCAST, "    if True:\n")),
            "The model computed in float32 whatever dtype was asked for. Let loss_of run under autocast to that dtype, on the "
            "kind of device that the model's parameters are on. See section 9.4.",
        ),
        Wrong(
            "always bfloat16",
            edit(("dtype=dtype, enabled=dtype != torch.float32", "dtype=torch.bfloat16")),
            "The model computed in bfloat16 whatever was asked for. Hand the dtype on, and leave autocast off for float32. "
            "See section 9.4.",
        ),
        Wrong(
            "the dtype is not handed on",
            edit(("dtype=dtype, enabled", "enabled")),
            "Autocast chose its own dtype, which is bfloat16 on a CPU. Hand on the one that was asked for. "
            "See section 9.4.",
        ),
        Wrong(
            "the loss is not scaled",
            edit(("scaler.scale(loss).backward()", "scaler.scale(loss)\n    loss.backward()")),
            "The backward pass started from the plain loss, and then the gradients were divided by the scale: the step was "
            "that much too small. Start it from what the scaler makes of the loss. See section 9.4.",
        ),
        Wrong(
            "the scaled loss comes back",
            edit(
                ("    scaler.scale(loss).backward()", "    loss = scaler.scale(loss)\n    loss.backward()"),
            ),
            "The loss that came back has the scaler's scale in it, which changes as training goes on. Keep the plain loss "
            "for the return. See section 9.4.",
        ),
        Wrong(
            "numbers instead of tensors",
            edit(("return loss.detach(), norm", "return loss.item(), norm.item()")),
            "To read a number off a GPU the program has to wait for it, at every step. Return the tensors; whoever wants a "
            "number can ask for it now and then. See section 9.4.",
        ),
        Wrong(
            "a scaler of its own",
            edit(
                ("    optimizer.zero_grad()\n", '    optimizer.zero_grad()\n    scaler = torch.amp.GradScaler("cpu")\n')
            ),
            "A new scaler was made in every step, and the one that was given learns nothing: its scale neither falls nor "
            "rises. Use the one that was given. See section 9.4.",
        ),
        Wrong(
            "the threshold multiplied by the scale",
            edit((_CLIP, "    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm * scaler.get_scale())\n")),
            "The scale was gone already when the threshold was multiplied by it, so hardly anything is clipped. One of "
            "the two is enough. See section 9.4.",
        ),
    ],
    correct=[
        Correct(
            "norm and clipping by hand",
            edit(
                (
                    _CLIP,
                    "    gradients = [p.grad for p in model.parameters() if p.grad is not None]\n"
                    "    norm = torch.linalg.vector_norm(torch.cat([g.flatten() for g in gradients]))\n"
                    "    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)\n"
                    "    for gradient in gradients:\n"
                    "        gradient.mul_(factor)\n",
                )
            ),
        ),
        Correct(
            "the model clears its gradients, to zeros",
            edit(("    optimizer.zero_grad()\n", "    model.zero_grad(set_to_none=False)\n")),
        ),
        Correct(
            "cleared just before the backward pass",
            edit(
                ("    optimizer.zero_grad()\n", ""),
                ("    scaler.scale(loss)", "    optimizer.zero_grad()\n    scaler.scale(loss)"),
            ),
        ),
        Correct(
            "with or without, by an if",
            edit(
                (
                    _AUTOCAST + "        loss = loss_of(model, batch)\n",
                    "    if dtype == torch.float32:\n"
                    "        loss = loss_of(model, batch)\n"
                    "    else:\n"
                    "        with torch.autocast(device_type=device.type, dtype=dtype):\n"
                    "            loss = loss_of(model, batch)\n",
                )
            ),
        ),
        Correct(
            "measured and clipped in two calls",
            edit(
                (
                    _CLIP,
                    "    norm = nn.utils.get_total_norm(p.grad for p in model.parameters() if p.grad is not None)\n"
                    "    nn.utils.clip_grads_with_norm_(model.parameters(), max_norm, norm)\n",
                )
            ),
        ),
        Correct(
            "gradients by torch.autograd.grad",
            edit(
                (
                    "    scaler.scale(loss).backward()\n",
                    "    parameters = list(model.parameters())\n"
                    "    gradients = torch.autograd.grad(scaler.scale(loss), parameters, allow_unused=True)\n"
                    "    for parameter, gradient in zip(parameters, gradients):\n"
                    "        parameter.grad = gradient\n",
                )
            ),
        ),
        Correct(
            "the mode set to training",
            edit(("    optimizer.zero_grad()\n", "    model.train()\n    optimizer.zero_grad()\n")),
        ),
        Correct(
            "a null context",
            edit(
                (
                    _AUTOCAST,
                    "    from contextlib import nullcontext\n"
                    "    with nullcontext() if dtype is torch.float32 else torch.autocast(device.type, dtype):\n",
                )
            ),
        ),
    ],
)

# ---- 9.3 ------------------------------------------------------------------------------------------------------------

_SOFTMAX = "    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)\n"
_RETURN = "    return (weights.bfloat16() @ value.bfloat16()).float(), weights"

fix_the_drifting_rows = Bank(
    "fix_the_drifting_rows",
    wrong=[
        Wrong(
            "the softmax is still in bfloat16",
            edit(
                (_SOFTMAX, "    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1)\n"),
                (_RETURN, "    return (weights @ value.bfloat16()).float(), weights.float()"),
            ),
            "The weights were rounded to bfloat16, which has three digits, and rounded weights do not sum to one. No digit "
            "comes back when they are made float32 afterwards: go to float32 before the softmax. See section 9.4.",
        ),
        Wrong(
            "scaled in bfloat16",
            edit((_SOFTMAX, "    weights = torch.softmax((scores / query.shape[-1] ** 0.5).float(), dim=-1)\n")),
            "The rows sum to one, but the scores were divided while they were in bfloat16, and rounded once more. Go to "
            "float32 before the division. See section 9.4.",
        ),
        Wrong(
            "the rows divided by their sums afterwards",
            edit(
                (
                    _SOFTMAX,
                    "    weights = torch.softmax(scores / query.shape[-1] ** 0.5, dim=-1).float()\n"
                    "    weights = weights / weights.sum(dim=-1, keepdim=True)\n",
                )
            ),
            "The sums are mended, and each weight is as wrong as before: it was rounded in the softmax. Mend the cause: "
            "scaling and softmax in float32. See section 9.4.",
        ),
        Wrong(
            "everything in float32",
            edit(
                ("query.bfloat16() @ key.bfloat16().transpose(-2, -1)", "query @ key.transpose(-2, -1)"),
                (_RETURN, "    return weights @ value, weights"),
            ),
            "The rows are right, but the matrix products are in float32 now, and their speed is gone. Only scaling and "
            "softmax need float32. See section 9.4.",
        ),
        Wrong(
            "the first product in float32",
            edit(("query.bfloat16() @ key.bfloat16().transpose(-2, -1)", "query @ key.transpose(-2, -1)")),
            "The first matrix product is in float32 now, and its speed is gone. Only scaling and softmax need float32. "
            "See section 9.4.",
        ),
        Wrong(
            "the second product in float32",
            edit((_RETURN, "    return weights @ value, weights")),
            "The second matrix product is in float32 now, and its speed is gone. Give it bfloat16 copies of the weights "
            "and the values. See section 9.4.",
        ),
        Wrong(
            "the rounded weights come back",
            edit(
                (
                    _RETURN,
                    "    weights = weights.bfloat16()\n    return (weights @ value.bfloat16()).float(), weights.float()",
                )
            ),
            "The weights that came back are the ones that were rounded for the second product. Round a copy, and return "
            "those that the softmax gave. See section 9.4.",
        ),
        Wrong(
            "output in bfloat16",
            edit((_RETURN, "    return weights.bfloat16() @ value.bfloat16(), weights")),
            "The output came back in bfloat16. Both results are to be float32, as the inputs are. See section 9.4.",
        ),
        Wrong(
            "the scale is lost",
            edit((_SOFTMAX, "    weights = torch.softmax(scores.float(), dim=-1)\n")),
            "The scores were not divided by the root of d any more. Keep the scaling, in float32. See section 9.4.",
        ),
        Wrong(
            "softmax over the queries",
            edit((_SOFTMAX, "    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-2)\n")),
            "The columns sum to one now instead of the rows. The softmax runs over the keys, the last axis. "
            "See section 9.4.",
        ),
        Wrong(
            "no maximum taken off",
            edit(
                (
                    _SOFTMAX,
                    "    exponentials = torch.exp(scores.float() / query.shape[-1] ** 0.5)\n"
                    "    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)\n",
                )
            ),
            "The exponential of a score above 88 is infinite in float32, and far below zero all are 0. Take each row's "
            "largest score off first, as the softmax of PyTorch does. See section 9.4.",
        ),
        Wrong(
            "the output by the fused kernel",
            edit(
                (
                    _RETURN,
                    "    output = F.scaled_dot_product_attention(query.bfloat16(), key.bfloat16(), value.bfloat16())\n"
                    "    return output.float(), weights",
                )
            ),
            "The fused kernel makes scores and weights of its own, so these are made twice, and the output is not that of "
            "the weights that came back. Multiply them with the values. See section 9.4.",
        ),
        Wrong(
            "float16 instead",
            edit((".bfloat16()", ".half()")),
            "The matrix products are of float16 tensors now, which overflow at 65,504. bfloat16 is asked for. "
            "See section 9.4.",
        ),
    ],
    correct=[
        Correct(
            "softmax with a dtype",
            edit(
                (
                    _SOFTMAX,
                    "    weights = F.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1, dtype=torch.float32)\n",
                )
            ),
        ),
        Correct(
            "the softmax by hand",
            edit(
                (
                    _SOFTMAX,
                    "    scores = scores.to(torch.float32).div(query.shape[-1] ** 0.5)\n"
                    "    exponentials = (scores - scores.amax(dim=-1, keepdim=True)).exp()\n"
                    "    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)\n",
                )
            ),
        ),
        Correct(
            "einsum",
            """
def low_precision_attention(query, key, value):
    low = torch.bfloat16
    scores = torch.einsum("...td,...sd->...ts", query.to(low), key.to(low)).to(torch.float32)
    weights = (scores * query.size(-1) ** -0.5).softmax(-1)
    output = torch.einsum("...ts,...sv->...tv", weights.to(low), value.to(low))
    return output.to(torch.float32), weights
""",
        ),
        Correct(
            "under autocast",
            """
def low_precision_attention(query, key, value):
    with torch.autocast(query.device.type, dtype=torch.bfloat16):
        scores = query @ key.mT
    weights = torch.softmax(scores.float() / query.shape[-1] ** 0.5, dim=-1)
    with torch.autocast(query.device.type, dtype=torch.bfloat16):
        output = weights @ value
    return output.float(), weights
""",
        ),
        Correct(
            "one leading index at a time",
            """
def low_precision_attention(query, key, value):
    lead = query.shape[:-2]
    outputs, weights = [], []
    for q, k, v in zip(*(x.reshape(-1, *x.shape[-2:]) for x in (query, key, value))):
        scores = torch.mm(q.bfloat16(), k.bfloat16().t()).float() / q.shape[-1] ** 0.5
        weights.append(scores.softmax(-1))
        outputs.append(torch.mm(weights[-1].bfloat16(), v.bfloat16()).float())
    output, weight = torch.stack(outputs), torch.stack(weights)
    return output.reshape(*lead, *output.shape[-2:]), weight.reshape(*lead, *weight.shape[-2:])
""",
        ),
        Correct(
            "the queries in two halves",
            """
def low_precision_attention(query, key, value):
    if query.shape[-2] > 1:
        halves = query.tensor_split(2, dim=-2)
        outputs, weights = zip(*(low_precision_attention(half, key, value) for half in halves))
        return torch.cat(outputs, -2), torch.cat(weights, -2)
    weights = ((query.bfloat16() @ key.bfloat16().mT).float() / query.shape[-1] ** 0.5).softmax(-1)
    return (weights.bfloat16() @ value.bfloat16()).float(), weights
""",
        ),
        Correct(
            "turned on its side",
            """
def low_precision_attention(query, key, value):
    scores = (key.bfloat16() @ query.bfloat16().mT).float() / query.shape[-1] ** 0.5
    weights = scores.softmax(-2).mT.contiguous()
    return (value.bfloat16().mT @ weights.bfloat16().mT).mT.float(), weights
""",
        ),
        Correct(
            "through the logarithm",
            edit(
                (
                    _SOFTMAX,
                    "    scaled = scores.float() * (1 / query.shape[-1] ** 0.5)\n"
                    "    weights = torch.log_softmax(scaled, dim=-1).exp()\n",
                )
            ),
        ),
    ],
)

# ---- 9.4 ------------------------------------------------------------------------------------------------------------

_KERNEL = "F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask)"
_SHARED = "self.W_Q, self.W_K, self.W_V, self.W_O = attention.W_Q, attention.W_K, attention.W_V, attention.W_O"
_MASK = "        if mask is not None and mask.ndim == 3:\n            mask = mask.unsqueeze(1)  # (B, T, S) -> (B, 1, T, S): one mask for all heads\n"
_PLAIN = """scores = queries @ keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        outputs = torch.softmax(scores, dim=-1).nan_to_num() @ values"""

fused_multi_head_attention = Bank(
    "fused_multi_head_attention",
    wrong=[
        Wrong(
            "the mask the other way round",
            edit((_KERNEL, _KERNEL.replace("=mask", "=None if mask is None else ~mask"))),
            "What may attend was hidden, and what may not was seen. In this function True means may attend, as in this "
            "course: hand the mask on as it is. (nn.MultiheadAttention is the one that has it the other way round.) "
            "See section 9.5.",
        ),
        Wrong(
            "the mask added as a number",
            edit((_KERNEL, _KERNEL.replace("=mask", "=None if mask is None else mask.float()"))),
            "A mask of floating-point numbers is added to the scores: a one lifts a score a little and a zero forbids "
            "nothing. Leave the mask boolean. See section 9.5.",
        ),
        Wrong(
            "no axis for the heads in the mask",
            edit((_MASK, "")),
            "Inside, there are four axes, (B, H, T, S), and a mask (B, T, S) is lined up from the right: its sentences fall "
            "on the heads. Give it an axis of size 1 for the heads. See section 9.5.",
        ),
        Wrong(
            "an axis for the heads in every mask",
            edit((_MASK, "        if mask is not None:\n            mask = mask.unsqueeze(1)\n")),
            "A mask (T, S), one for all, got an axis for the heads between its queries and its keys, and no longer fits. "
            "Only a mask of three axes needs one; one of two fits already. See section 9.5.",
        ),
        Wrong(
            "the mask is left out",
            edit(("attn_mask=mask", "attn_mask=None")),
            "Every query attended to every key, whatever the mask said. Hand it to the kernel. See section 9.5.",
        ),
        Wrong(
            "causal wherever there is a mask",
            edit(("attn_mask=mask", "is_causal=mask is not None")),
            "is_causal is a mask of its own, by order, and the one that was given was not used. Hand that one on. "
            "See section 9.5.",
        ),
        Wrong(
            "scaled twice",
            edit((_KERNEL, _KERNEL.replace("(queries,", "(queries / queries.shape[-1] ** 0.5,"))),
            "The scores were divided by the root of d twice: the kernel does it by itself. Leave one of the two out. "
            "See section 9.5.",
        ),
        Wrong(
            "scaled by the model's width",
            edit((_KERNEL, _KERNEL.replace("attn_mask=mask", "attn_mask=mask, scale=query.shape[-1] ** -0.5"))),
            "The scores were divided by the root of the model's width. The width is that of a head, and the kernel takes "
            "it by itself. See section 9.5.",
        ),
        Wrong(
            "not scaled",
            edit((_KERNEL, _KERNEL.replace("attn_mask=mask", "attn_mask=mask, scale=1.0"))),
            "A scale of 1 switches the division by the root of d off. Leave that argument out. See section 9.5.",
        ),
        Wrong(
            "copied parameters",
            edit(
                (
                    _SHARED,
                    "import copy\n        "
                    + _SHARED.replace(
                        " = attention.W_Q, attention.W_K, attention.W_V, attention.W_O",
                        " = copy.deepcopy([attention.W_Q, attention.W_K, attention.W_V, attention.W_O])",
                    ),
                )
            ),
            "The maps are not the attention's own but copies or new ones: when the attention learns, this module does not "
            "hear of it. Take the same modules. See section 9.5.",
        ),
        Wrong(
            "new maps",
            edit(
                (
                    _SHARED,
                    "self.W_Q, self.W_K, self.W_V, self.W_O = (nn.Linear(*attention.W_Q.weight.shape) for _ in range(4))",
                )
            ),
            "The maps are new ones with weights of their own. Take the attention's: they have learned something. "
            "See section 9.5.",
        ),
        Wrong(
            "the attention kept beside its maps",
            edit((_SHARED, _SHARED + "\n        self.attention = attention")),
            "Under the attention's name all parameters stand a second time in the state, so that a checkpoint from before "
            "no longer fits. Keep the four maps and num_heads only. See section 9.5.",
        ),
        Wrong(
            "heads cut off without moving the axis",
            edit(
                (
                    "split_heads(self.W_Q(query), self.num_heads)",
                    "self.W_Q(query).view(query.shape[0], self.num_heads, query.shape[1], -1)",
                ),
                (
                    "split_heads(self.W_K(key), self.num_heads)",
                    "self.W_K(key).view(key.shape[0], self.num_heads, key.shape[1], -1)",
                ),
                (
                    "split_heads(self.W_V(value), self.num_heads)",
                    "self.W_V(value).view(value.shape[0], self.num_heads, value.shape[1], -1)",
                ),
            ),
            "The shapes are right and the heads mix positions: a view moves nothing. Use split_heads. See section 9.5.",
        ),
        Wrong(
            "heads not put back in order",
            edit(("merge_heads(outputs)", "outputs.reshape(query.shape)")),
            "The heads' outputs were laid out without moving their axis back, so features of different positions stand in "
            "one row. Use merge_heads. See section 9.5.",
        ),
        Wrong(
            "one head",
            edit(("self.num_heads = attention.num_heads", "self.num_heads = 1")),
            "All features were one head. Take num_heads from the attention. See section 9.5.",
        ),
        Wrong(
            "no output map",
            edit(("self.W_O(merge_heads(outputs))", "merge_heads(outputs)")),
            "The merged heads came back as they were. The last map, W_O, mixes them. See section 9.5.",
        ),
        Wrong(
            "keys and values change places",
            edit((_KERNEL, _KERNEL.replace("queries, keys, values", "queries, values, keys"))),
            "The queries were compared with the values, and the keys were summed up. The order is query, key, value. "
            "See section 9.5.",
        ),
        Wrong(
            "everything from the query",
            edit(("self.W_K(key)", "self.W_K(query)"), ("self.W_V(value)", "self.W_V(query)")),
            "Keys and values were made from the query, which is right for self-attention alone. Make them from key and "
            "value. See section 9.5.",
        ),
        Wrong(
            "no kernel",
            edit((f"outputs = {_KERNEL}", _PLAIN)),
            "The numbers are right, but the scores and the weights of all keys were stored, which is what the fused kernel "
            "avoids. Leave the product to F.scaled_dot_product_attention. See section 9.5.",
        ),
        Wrong(
            "the output alone",
            edit(("return self.W_O(merge_heads(outputs)), None", "return self.W_O(merge_heads(outputs))")),
            "A layer that uses an attention takes two things from it. Return the output and None. See section 9.5.",
        ),
        Wrong(
            "an empty tensor for the weights",
            edit(("(merge_heads(outputs)), None", "(merge_heads(outputs)), torch.empty(0)")),
            "There are no weights, and an empty tensor only looks like some. Return None in their place. "
            "See section 9.5.",
        ),
    ],
    correct=[
        Correct(
            "view and transpose",
            edit(
                (
                    "split_heads(self.W_Q(query), self.num_heads)",
                    "self.W_Q(query).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)",
                ),
                ("merge_heads(outputs)", "outputs.transpose(1, 2).contiguous().view(query.shape)"),
            ),
        ),
        Correct(
            "a mask of minus infinities",
            edit(
                (
                    f"        outputs = {_KERNEL}",
                    "        if mask is not None:\n"
                    '            mask = torch.zeros(mask.shape, dtype=queries.dtype).masked_fill(~mask, float("-inf"))\n'
                    f"        outputs = {_KERNEL}",
                )
            ),
        ),
        Correct(
            "the mask always with four axes",
            edit(
                (
                    _MASK,
                    "        if mask is not None:\n"
                    "            mask = mask.expand(query.shape[0], query.shape[1], key.shape[1])[:, None]\n",
                )
            ),
        ),
        Correct(
            "set by name",
            edit(
                (
                    _SHARED,
                    'for name in ("W_Q", "W_K", "W_V", "W_O"):\n            setattr(self, name, getattr(attention, name))',
                )
            ),
        ),
        Correct(
            "a list of maps and inputs",
            """
class FusedMultiHeadAttention(nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.num_heads = attention.num_heads
        self.W_Q = attention.W_Q
        self.W_K = attention.W_K
        self.W_V = attention.W_V
        self.W_O = attention.W_O

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() > 2:
            mask = mask[:, None]
        maps = ((self.W_Q, query), (self.W_K, key), (self.W_V, value))
        heads = [split_heads(linear(x), self.num_heads) for linear, x in maps]
        return self.W_O(merge_heads(F.scaled_dot_product_attention(*heads, mask))), None
""",
        ),
    ],
)

# ---- 9.5 ------------------------------------------------------------------------------------------------------------

_LARGER = "larger = torch.maximum(largest, scores.amax(dim=-1, keepdim=True))"
_RESCALED = "exponentials, rescale = torch.exp(scores - larger), torch.exp(largest - larger)"
_TOTAL = "total = total * rescale + exponentials.sum(dim=-1, keepdim=True)"
_OUTPUT = "output = output * rescale + exponentials @ values"
_GUARDED = """
def attention_in_blocks(query, key, value, block_size):
    if block_size < 1:
        raise ValueError(f"got block_size {block_size}")
"""

attention_in_blocks = Bank(
    "attention_in_blocks",
    wrong=[
        Wrong(
            "no maximum taken off",
            edit(
                (_LARGER, "larger = largest"),
                (_RESCALED, "exponentials, rescale = torch.exp(scores), 1.0"),
            ),
            "Without a maximum taken off, the exponential of a score above 88 is infinite in float32, and far below zero "
            "all are 0. Keep the largest score so far, for each query, and take it off. See section 9.5.",
        ),
        Wrong(
            "the block's maximum in place of the largest so far",
            edit((_LARGER, "larger = scores.amax(dim=-1, keepdim=True)")),
            "What has been summed up is carried over to the maximum of the latest block, which may be smaller: then what "
            "was there before overflows. Take the larger of the old maximum and the block's. See section 9.5.",
        ),
        Wrong(
            "the sums are not rescaled",
            edit((_TOTAL, _TOTAL.replace(" * rescale", "")), (_OUTPUT, _OUTPUT.replace(" * rescale", ""))),
            "When a larger maximum turns up, the sums that were made with the old one no longer fit the new exponentials. "
            "Multiply both by the exponential of the old maximum less the new one. See section 9.5.",
        ),
        Wrong(
            "only the total is rescaled",
            edit((_OUTPUT, _OUTPUT.replace(" * rescale", ""))),
            "The total was carried over to the new maximum and the weighted sum of the values was not. Both were made with "
            "the old maximum: rescale both. See section 9.5.",
        ),
        Wrong(
            "only the output is rescaled",
            edit((_TOTAL, _TOTAL.replace(" * rescale", ""))),
            "The weighted sum was carried over to the new maximum and the total was not. Both were made with the old "
            "maximum: rescale both. See section 9.5.",
        ),
        Wrong(
            "rescaled the wrong way round",
            edit(("torch.exp(largest - larger)", "torch.exp(larger - largest).nan_to_num(0.0, posinf=0.0)")),
            "When the maximum rises, what was summed up before has to become smaller, and it grew. The exponent is the old "
            "maximum less the new one. See section 9.5.",
        ),
        Wrong(
            "the maximum begins at zero",
            edit(('query.new_full((*query.shape[:-1], 1), float("-inf"))', "query.new_zeros(*query.shape[:-1], 1)")),
            "The largest score so far begins at zero, so where all scores are far below zero every exponential is 0, and "
            "0/0 is NaN. Before the first block there is no score: what is smaller than all of them? See section 9.5.",
        ),
        Wrong(
            "the maximum begins at minus a hundred",
            edit(('float("-inf"))  # (..., T, 1)', "-100.0)  # (..., T, 1)")),
            "The largest score so far begins at a number that scores can lie below, and far below it every exponential is "
            "0, and 0/0 is NaN. Before the first block there is no score: what is smaller than all of them? "
            "See section 9.5.",
        ),
        Wrong(
            "each block normalised by itself",
            edit(
                (_TOTAL, "total = total + 1"),
                (_OUTPUT, "output = output + exponentials / exponentials.sum(dim=-1, keepdim=True) @ values"),
            ),
            "Each block's weights were made to sum to one and the blocks' outputs averaged, so a key's weight depends on "
            "which block it stands in. Divide once, at the end, by the total over all blocks. See section 9.5.",
        ),
        Wrong(
            "divided in every block",
            edit(
                (_OUTPUT, "output = (output * rescale + exponentials @ values) / total"),
                ("return output / total", "return output"),
            ),
            "The weighted sum was divided by the total after each block, and then divided again with the next one. Divide "
            "once, at the end. See section 9.5.",
        ),
        Wrong(
            "not divided",
            edit(("return output / total", "return output")),
            "What came back is the weighted sum of the values with weights that do not sum to one. Divide it by the total "
            "of the exponentials. See section 9.5.",
        ),
        Wrong(
            "the last keys are left out",
            edit(("range(0, key.shape[-2], block_size)", "range(0, key.shape[-2] - block_size + 1, block_size)")),
            "The keys after the last whole block were not read. The last block may be smaller than the others. "
            "See section 9.5.",
        ),
        Wrong(
            "no scale",
            edit((" / query.shape[-1] ** 0.5", "")),
            "The scores were not divided by the root of d_k. See section 9.5.",
        ),
        Wrong(
            "one maximum for all queries",
            edit((_LARGER, "larger = torch.maximum(largest, scores.max())")),
            "One maximum was taken off all queries' scores: a query whose own scores lie far below it gets only zeros, and "
            "0/0 is NaN. Each query keeps a maximum of its own. See section 9.5.",
        ),
        Wrong(
            "all scores at once",
            _GUARDED
            + """
    scores = query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ value
""",
            "The numbers are right, but the scores of all keys stood in one tensor, which is what is not to be. Work on "
            "the scores of one block of keys at a time. See section 9.5.",
        ),
        Wrong(
            "the blocks' scores kept",
            _GUARDED
            + """
    starts = range(0, key.shape[-2], block_size)
    blocks = [query @ key[..., s : s + block_size, :].mT / query.shape[-1] ** 0.5 for s in starts]
    largest = torch.stack([block.amax(dim=-1, keepdim=True) for block in blocks]).amax(dim=0)
    weights = [torch.exp(block - largest) for block in blocks]
    total = sum(block.sum(dim=-1, keepdim=True) for block in weights)
    return sum(block @ value[..., s : s + block_size, :] for block, s in zip(weights, starts)) / total
""",
            "The scores were computed block by block and then kept in a list, all of them, so the memory is that of the "
            "whole matrix. Sum up each block at once and let it go. See section 9.5.",
        ),
        Wrong(
            "query by query",
            _GUARDED
            + """
    rows = []
    for t in range(query.shape[-2]):
        scores = query[..., t : t + 1, :] @ key.transpose(-2, -1) / query.shape[-1] ** 0.5
        rows.append(torch.softmax(scores, dim=-1) @ value)
    return torch.cat(rows, dim=-2)
""",
            "The queries were taken one by one, and each had the scores of all keys at once. It is the keys that come in "
            "blocks. See section 9.5.",
        ),
        Wrong(
            "no ValueError",
            edit(("if block_size < 1:", "if False:")),
            "A block of no keys was tried out, or left to range. Raise ValueError with the number in it before anything "
            "else. See section 9.5.",
        ),
    ],
    correct=[
        Correct(
            "blocks merged by their logarithms",
            _GUARDED
            + """
    output, logarithm = None, None
    for keys, values in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
        scores = torch.einsum("...td,...sd->...ts", query, keys) * query.shape[-1] ** -0.5
        here, of_block = torch.logsumexp(scores, dim=-1, keepdim=True), torch.softmax(scores, dim=-1) @ values
        if output is None:
            output, logarithm = of_block, here
        else:
            share = torch.sigmoid(here - logarithm)
            output, logarithm = output + share * (of_block - output), torch.logaddexp(logarithm, here)
    return output
""",
        ),
        Correct(
            "two passes over the keys",
            _GUARDED
            + """
    starts = range(0, key.shape[-2], block_size)

    def scores(start):
        return query @ key[..., start : start + block_size, :].mT / query.shape[-1] ** 0.5

    largest = scores(0).amax(dim=-1, keepdim=True)
    for start in starts:
        largest = torch.maximum(largest, scores(start).amax(dim=-1, keepdim=True))
    total = output = 0.0
    for start in starts:
        exponentials = (scores(start) - largest).exp()
        total = total + exponentials.sum(dim=-1, keepdim=True)
        output = output + exponentials @ value[..., start : start + block_size, :]
    return output / total
""",
        ),
        Correct(
            "the total beside the values",
            _GUARDED
            + """
    ones = torch.ones(*value.shape[:-1], 1, dtype=value.dtype)
    value = torch.cat([value, ones], dim=-1)  # the last column sums the exponentials up
    largest = torch.full((*query.shape[:-1], 1), -torch.inf, dtype=query.dtype)
    summed = torch.zeros(*query.shape[:-1], value.shape[-1], dtype=query.dtype)
    start = 0
    while start < key.shape[-2]:
        stop = min(start + block_size, key.shape[-2])
        scores = query @ key[..., start:stop, :].transpose(-1, -2) / query.shape[-1] ** 0.5
        larger = torch.max(largest, scores.max(dim=-1, keepdim=True).values)
        summed = summed * (largest - larger).exp() + (scores - larger).exp() @ value[..., start:stop, :]
        largest, start = larger, stop
    return summed[..., :-1] / summed[..., -1:]
""",
        ),
        Correct(
            "always normalised",
            _GUARDED
            + """
    query = query / query.shape[-1] ** 0.5
    largest, total, output = -torch.inf, 0.0, 0.0
    for keys, values in zip(torch.split(key, block_size, -2), torch.split(value, block_size, -2)):
        scores = query @ keys.mT
        larger = torch.clamp(scores.amax(-1, keepdim=True), min=largest)
        exponentials = torch.exp(scores - larger)
        before = total * torch.exp(largest - larger)
        total = before + exponentials.sum(-1, keepdim=True)
        output = output * (before / total) + exponentials @ values / total
        largest = larger
    return output
""",
        ),
        Correct(
            "one key at a time, whatever the block",
            _GUARDED
            + """
    largest = torch.full_like(query[..., :1], -torch.inf)
    total, output = torch.zeros_like(largest), query.new_zeros(*query.shape[:-1], value.shape[-1])
    for s in range(key.shape[-2]):
        score = (query * key[..., s : s + 1, :]).sum(-1, keepdim=True) / query.shape[-1] ** 0.5
        larger = torch.maximum(largest, score)
        rescale, exponential = (largest - larger).exp(), (score - larger).exp()
        total, largest = total * rescale + exponential, larger
        output = output * rescale + exponential * value[..., s : s + 1, :]
    return output / total
""",
        ),
        Correct(
            "in float64, from the smallest number on",
            edit(
                (
                    "    largest = query.new_full",
                    "    query, key, value = query.double(), key.double(), value.double()\n    largest = query.new_full",
                ),
                ('float("-inf"))  # (..., T, 1)', "torch.finfo(torch.float64).min)  # (..., T, 1)"),
                ("return output / total", "return (output / total).float()"),
            ),
        ),
        Correct(
            "blocks of queries too",
            _GUARDED
            + """
    outputs = []
    for q in query.split(2, dim=-2):
        largest, total, output = torch.full_like(q[..., :1], -1e30), 0.0, 0.0
        for k, v in zip(key.split(block_size, dim=-2), value.split(block_size, dim=-2)):
            scores = q @ k.mT / q.shape[-1] ** 0.5
            larger = torch.maximum(largest, scores.amax(-1, keepdim=True))
            rescale, exponentials = (largest - larger).exp(), (scores - larger).exp()
            total = total * rescale + exponentials.sum(-1, keepdim=True)
            output, largest = output * rescale + exponentials @ v, larger
        outputs.append(output / total)
    return torch.cat(outputs, dim=-2)
""",
        ),
        Correct(
            "written in place",
            edit(
                (_TOTAL, "total.mul_(rescale).add_(exponentials.sum(dim=-1, keepdim=True))"),
                (_OUTPUT, "output.mul_(rescale).add_(exponentials @ values)"),
                ("        largest = larger", "        largest.copy_(larger)"),
            ),
        ),
    ],
)

# ---- 9.6 ------------------------------------------------------------------------------------------------------------

_ZERO = "    model.zero_grad()\n"
_DIVIDE = """    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= count
"""
_LOOP = """        loss_sum.backward()  # adds to .grad, and lets the graph go
        total = total.to(loss_sum.device) + loss_sum.detach()
        count = count + predictions
"""

accumulate = Bank(
    "accumulate",
    wrong=[
        Wrong(
            "the mean of the pieces' means",
            """
def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    micro_batches = list(micro_batches)
    total = 0.0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        loss = loss_sum / max(predictions, 1) / len(micro_batches)
        loss.backward()
        total = total + loss.detach()
    return total
""",
            "Each piece had the same say, however few predictions it had, so those of a small piece count for more than "
            "others. Divide by the number of all predictions, which is known at the end. See section 9.7.",
        ),
        Wrong(
            "the sum of the pieces' means",
            """
def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    total = 0.0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        loss = loss_sum / max(predictions, 1)
        loss.backward()
        total = total + loss.detach()
    return total
""",
            "The pieces' mean losses were added up, so the gradient is as many times too large as there are pieces, and "
            "small pieces count for more. Add up sums, and divide by the number of all predictions at the end. "
            "See section 9.7.",
        ),
        Wrong(
            "gradients not divided",
            edit((_DIVIDE, "")),
            "The gradients are those of the sum of all losses. Divide them by the number of all predictions. "
            "See section 9.7.",
        ),
        Wrong(
            "divided by the number of pieces",
            edit(
                (_DIVIDE, _DIVIDE.replace("/= count", "/= pieces")),
                ("total, count =", "pieces, total, count = 0, "),
                (_LOOP, _LOOP + "        pieces += 1\n"),
            ),
            "The gradients of the summed loss were divided by how many pieces there were. Divide by how many predictions "
            "there were in all of them. See section 9.7.",
        ),
        Wrong(
            "divided by the rows",
            edit(("count = count + predictions", "count = count + len(micro_batch[0])")),
            "The number of rows was counted, padding and all. loss_sum_of says how many predictions its sum is over. "
            "See section 9.7.",
        ),
        Wrong(
            "divided by the parts of a piece",
            edit(("count = count + predictions", "count = count + len(micro_batch)")),
            "What was counted is how many things a piece is made of, which is the same for all pieces. loss_sum_of says how "
            "many predictions its sum is over. See section 9.7.",
        ),
        Wrong(
            "the loss comes back as a number",
            edit(
                ("total.to(loss_sum.device) + loss_sum.detach()", "total + loss_sum.item()"),
                ("torch.zeros(()), 0", "0.0, 0"),
            ),
            "A number came back. To read it off a GPU the program waits, once for each piece; a tensor without a graph is "
            "asked for. Detach each sum and add up the tensors. See section 9.7.",
        ),
        Wrong(
            "the loss comes back with a graph",
            edit(("loss_sum.detach()", "loss_sum")),
            "The sums were added up with their graphs, which hang on the loss that came back. Detach each sum. "
            "See section 9.7.",
        ),
        Wrong(
            "the graphs are retained",
            edit(
                ("loss_sum.backward()", "loss_sum.backward(retain_graph=True)"),
                ("total, count =", "kept, total, count = [], "),
                (
                    _LOOP.splitlines(keepends=True)[2],
                    "        count = count + predictions\n        kept.append(loss_sum)\n",
                ),
            ),
            "Each piece's graph was retained after its backward pass and kept with its loss, so all of them were in memory "
            "in the end. Let a graph go when it has been used. See section 9.7.",
        ),
        Wrong(
            "divided by the last piece's count",
            edit(("count = count + predictions", "count = predictions")),
            "The number of predictions at the end is that of the last piece alone. Add the counts up. See section 9.7.",
        ),
        Wrong(
            "divided in every round",
            edit(
                (_DIVIDE, ""),
                (
                    _LOOP,
                    _LOOP
                    + "        for parameter in model.parameters():\n            if parameter.grad is not None:\n                parameter.grad /= max(count, 1)\n",
                ),
            ),
            "The gradients were divided after each piece, so what came first was divided several times. Divide once, when "
            "all pieces are through. See section 9.7.",
        ),
        Wrong(
            "old gradients not cleared",
            edit((_ZERO, "")),
            "Gradients from before were there and were added to these. Clear them once, before the first piece. "
            "See section 9.7.",
        ),
        Wrong(
            "cleared for every piece",
            edit(
                (_ZERO, ""),
                ("        loss_sum, predictions", "        model.zero_grad()\n        loss_sum, predictions"),
            ),
            "The gradients were cleared before each piece, so only the last one's are left. Clear them once, before the "
            "first. See section 9.7.",
        ),
        Wrong(
            "one backward pass for all",
            """
def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    total, count = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        total, count = total + loss_sum, count + predictions
    loss = total / count
    loss.backward()
    return loss.detach()
""",
            "All forward passes came first and the backward pass at the end: until then every piece's graph was in memory, "
            "which is as much as the large batch needs. Go backward after each piece. See section 9.7.",
        ),
        Wrong(
            "all forward passes first",
            edit(
                (
                    "    for micro_batch in micro_batches:\n",
                    "    for loss_sum, predictions in [loss_sum_of(model, micro_batch) for micro_batch in micro_batches]:\n",
                ),
                ("        loss_sum, predictions = loss_sum_of(model, micro_batch)\n", ""),
            ),
            "All forward passes came first, so every piece's graph was in memory at the same time. Go forward and backward "
            "with one piece, then take the next. See section 9.7.",
        ),
        Wrong(
            "the last piece's loss comes back",
            edit(("return total / count", "return loss_sum.detach() / predictions")),
            "The loss that came back is the last piece's. The mean over all predictions of all pieces is asked for. "
            "See section 9.7.",
        ),
        Wrong(
            "the summed loss comes back",
            edit(("return total / count", "return total")),
            "The loss that came back is a sum. Divide it by the number of all predictions. See section 9.7.",
        ),
        Wrong(
            "every parameter has a gradient",
            edit(
                (
                    "        if parameter.grad is not None:\n            parameter.grad /= count",
                    "        parameter.grad /= count",
                )
            ),
            "A parameter that took no part in the loss has no gradient at all, and None cannot be divided. Leave such "
            "parameters alone. See section 9.7.",
        ),
        Wrong(
            "gone through twice",
            """
def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    count = sum(loss_sum_of(model, micro_batch)[1] for micro_batch in micro_batches)
    total = 0.0
    for micro_batch in micro_batches:
        loss = loss_sum_of(model, micro_batch)[0] / max(count, 1)
        loss.backward()
        total = total + loss.detach()
    return total
""",
            "The pieces were gone through twice, and a generator has nothing left the second time; the forward passes "
            "were made twice too. The division can wait until the end. See section 9.7.",
        ),
        Wrong(
            "the weights moved",
            edit(
                (
                    "    return total / count",
                    "    with torch.no_grad():\n        for parameter in model.parameters():\n            if parameter.grad is not None:\n                parameter -= 0.01 * parameter.grad\n    return total / count",
                )
            ),
            "The weights were changed here. Only the gradients are asked for: the step is the optimizer's. "
            "See section 9.7.",
        ),
    ],
    correct=[
        Correct(
            "a running mean",
            """
def accumulate(model, loss_sum_of, micro_batches):
    model.zero_grad()
    mean, count = 0.0, 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        if predictions == 0:
            continue
        share = count / (count + predictions)
        count += predictions
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad.mul_(share)
        (loss_sum / count).backward()
        mean = share * mean + loss_sum.detach() / count
    return mean
""",
        ),
        Correct(
            "gradients by torch.autograd.grad",
            """
def accumulate(model, loss_sum_of, micro_batches):
    parameters = list(model.parameters())
    sums, total, count = [torch.zeros_like(p) for p in parameters], torch.tensor(0.0), 0
    for micro_batch in micro_batches:
        loss_sum, predictions = loss_sum_of(model, micro_batch)
        for of_one, gradient in zip(sums, torch.autograd.grad(loss_sum, parameters, allow_unused=True)):
            if gradient is not None:
                of_one += gradient
        total, count = total + loss_sum.detach(), count + predictions
    for parameter, of_one in zip(parameters, sums):
        parameter.grad = of_one / count
    return total / count
""",
        ),
        Correct(
            "cleared to zeros, divided all at once",
            edit(
                (_ZERO, "    for p in model.parameters():\n        p.grad = torch.zeros_like(p)\n"),
                (_DIVIDE, "    torch._foreach_div_([p.grad for p in model.parameters()], float(count))\n"),
            ),
        ),
        Correct(
            "sums as numbers",
            edit(
                ("torch.zeros(()), 0", "0.0, 0"),
                ("total.to(loss_sum.device) + loss_sum.detach()", "total + loss_sum.item()"),
                ("return total / count", "return torch.tensor(total / count)"),
            ),
        ),
        Correct(
            "counted first, without graphs, from a list",
            """
def accumulate(model, loss_sum_of, micro_batches):
    pieces = list(micro_batches)
    with torch.no_grad():
        count = sum(loss_sum_of(model, piece)[1] for piece in pieces)
    model.zero_grad(set_to_none=True)
    loss = 0.0
    for piece in pieces:
        mean = loss_sum_of(model, piece)[0] / count
        mean.backward()
        loss = loss + mean.detach()
    return loss
""",
        ),
        Correct(
            "multiplied by the inverse",
            edit(
                (
                    _DIVIDE,
                    "    with torch.no_grad():\n        for p in model.parameters():\n            p.grad = None if p.grad is None else p.grad * (1 / count)\n",
                )
            ),
        ),
    ],
)

# ---- 9.7 ------------------------------------------------------------------------------------------------------------

_WRITE = """    unfinished = Path(f"{path}.part")
    try:
        with unfinished.open("wb") as file:
            torch.save(state, file)
            file.flush()
            os.fsync(file.fileno())  # on the disk before the old one goes
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
"""
_LOADED = "    for part, of_part in zip((model, optimizer, scheduler, scaler, data), states, strict=True):\n"
_TRY = """    except FileNotFoundError:
        raise
    except Exception as error:"""


def _not_taken_on(name: str):
    """load_checkpoint without that part: it stays as it was made."""
    rest = ", ".join(part for part in ("model", "optimizer", "scheduler", "scaler", "data") if part != name)
    quoted = ", ".join(f'"{part}"' for part in rest.split(", "))
    return edit(
        ('("model", "optimizer", "scheduler", "scaler", "data")', f"({quoted})"),
        ("(model, optimizer, scheduler, scaler, data), states", f"({rest}), states"),
    )


_DRAFT = '    torch.save(state, f"{path}.part")\n'


checkpoints = Bank(
    "checkpoints",
    wrong=[
        Wrong(
            "the weights alone",
            """
def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data):
    torch.save({"step": step, "model": model.state_dict()}, f"{path}.part")
    os.replace(f"{path}.part", path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data):
    try:
        state = torch.load(path)
        model.load_state_dict(state["model"])
        return state["step"]
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
""",
            "The weights are back, and nothing else is: the optimizer has forgotten its moments, the schedule is at its "
            "beginning, and so on. Go through everything that a next step depends on. See section 9.10.",
        ),
        Wrong(
            "the weights are forgotten",
            _not_taken_on("model"),
            "The model's weights are those that it was made with. Save and load its state too. See section 9.10.",
        ),
        Wrong(
            "the weights rounded",
            edit(
                (
                    '"model": model.state_dict(),',
                    '"model": {n: t.half() if t.is_floating_point() else t for n, t in model.state_dict().items()},',
                )
            ),
            "The weights were rounded when they were saved, so they are not those that training would have gone on with. "
            "Save them in the format that they have. See section 9.10.",
        ),
        Wrong(
            "the buffers are forgotten",
            edit(
                ('"model": model.state_dict(),', '"model": dict(model.named_parameters()),'),
                (
                    "        part.load_state_dict(of_part)\n",
                    "        part.load_state_dict(of_part, **({'strict': False} if part is model else {}))\n",
                ),
            ),
            "The parameters are back, but a model's state has more than parameters: here the running means that batch "
            "normalisation keeps. Its state_dict() has both. See section 9.10.",
        ),
        Wrong(
            "evaluation mode after saving",
            edit((_WRITE, "    model.eval()\n" + _WRITE)),
            "The running training's model was left in evaluation mode, so dropout does nothing in the steps after a save. "
            "Leave the mode as it is. See section 9.10.",
        ),
        Wrong(
            "evaluation mode after loading",
            edit(("    return step", "    model.eval()\n    return step")),
            "The model was left in evaluation mode, so dropout does nothing in the next steps. The mode that it was made "
            "in is the right one. See section 9.10.",
        ),
        Wrong(
            "the optimizer is forgotten",
            _not_taken_on("optimizer"),
            "The optimizer's moments are those of a new one, so the first steps go elsewhere. Save and load its state too. "
            "See section 9.10.",
        ),
        Wrong(
            "the schedule is forgotten",
            _not_taken_on("scheduler"),
            "The schedule did not go on from where it stood, so the learning rate becomes another one. Save and load its "
            "state too. See section 9.10.",
        ),
        Wrong(
            "the scaler is forgotten",
            _not_taken_on("scaler"),
            "The scaler is at its first scale again, and has forgotten how many good steps it had counted. Save and load "
            "its state too. See section 9.10.",
        ),
        Wrong(
            "the stream of batches is forgotten",
            _not_taken_on("data"),
            "The stream of batches did not go on from where it stood, so other samples come next. Save and load its state "
            "too. See section 9.10.",
        ),
        Wrong(
            "the random numbers are forgotten",
            edit(("    torch.set_rng_state(random.cpu())\n", "")),
            "Dropout draws other numbers than it would have drawn. Save the state of torch's random numbers and set it "
            "when you load. See section 9.10.",
        ),
        Wrong(
            "seeded instead of restored",
            edit(("    torch.set_rng_state(random.cpu())\n", "    torch.manual_seed(step)\n")),
            "A seed begins the random numbers anew, and they had gone on for a while. Save their state and set it when you "
            "load. See section 9.10.",
        ),
        Wrong(
            "seeded with the step in both",
            edit(
                (_WRITE, "    torch.manual_seed(step)\n" + _WRITE),
                ("    torch.set_rng_state(random.cpu())\n", "    torch.manual_seed(step)\n"),
            ),
            "To save began the random numbers anew, so a training that is saved is another one than a training that is "
            "not. Look at their state, and leave it alone. See section 9.10.",
        ),
        Wrong(
            "a random number drawn when saving",
            edit(
                (
                    _WRITE,
                    "    path_seed = int(torch.randint(1 << 30, ()))\n" + _WRITE.replace(".part", ".{path_seed}.part"),
                )
            ),
            "Saving used up random numbers, after their state had been taken or before it, so the running training draws "
            "others than it would have drawn. Leave torch's random numbers alone. See section 9.10.",
        ),
        Wrong(
            "the random numbers of the CPU alone",
            edit(
                (
                    "        torch.cuda.set_rng_state_all([one.cpu() for one in random_cuda])\n",
                    "        pass\n",
                )
            ),
            "The random numbers of the CUDA devices, which dropout draws there, did not go on. Save the state of every "
            "device and set it when you load. See section 9.10.",
        ),
        Wrong(
            "the random numbers of one device",
            edit(
                ("torch.cuda.get_rng_state_all(),", "torch.cuda.get_rng_state(),"),
                (
                    """    if len(random_cuda) == torch.cuda.device_count():
        torch.cuda.set_rng_state_all([one.cpu() for one in random_cuda])
""",
                    "    if torch.cuda.is_available():\n        torch.cuda.set_rng_state(random_cuda)\n",
                ),
                ('"random_cuda": ', '"random_cuda": None if not torch.cuda.is_available() else '),
            ),
            "The random numbers of the first CUDA device went on, and the others' did not. Save the state of every device. "
            "See section 9.10.",
        ),
        Wrong(
            "only from the device that it was saved from",
            edit(("map_location=device, ", "")),
            "Every tensor was to go back to the device that it had been saved from, and a training on a GPU is to go on "
            "where there is none. Say where tensors go when the file is read. See section 9.10.",
        ),
        Wrong(
            "code in the file is run",
            edit(("weights_only=True", "weights_only=False")),
            "A file was loaded in a way that runs whatever code stands in it, and a checkpoint may come from anywhere. Let "
            "torch load tensors and plain numbers only. See section 9.10.",
        ),
        Wrong(
            "pickled",
            edit(
                (
                    "            torch.save(state, file)\n",
                    "            import pickle\n            pickle.dump(state, file)\n",
                ),
                (
                    "torch.load(path, map_location=device, weights_only=True)",
                    '__import__("pickle").loads(Path(path).read_bytes())',
                ),
            ),
            "Python's pickle runs whatever code stands in a file, and a checkpoint may come from anywhere. Let torch save, "
            "and load tensors and plain numbers only. See section 9.10.",
        ),
        Wrong(
            "a failure is kept quiet",
            edit(
                (
                    "    finally:\n        unfinished",
                    "    except Exception:\n        pass\n    finally:\n        unfinished",
                )
            ),
            "Nothing was written and nobody heard of it, so training goes on without a checkpoint. Tidy up, and let the "
            "error pass. See section 9.10.",
        ),
        Wrong(
            "taken away, then renamed",
            edit(
                (_WRITE, _DRAFT + '    Path(path).unlink(missing_ok=True)\n    os.rename(f"{path}.part", path)\n'),
            ),
            "For a moment there was no checkpoint at the path, and whoever stops just then leaves it so. To rename onto a "
            "file replaces it at once. See section 9.10.",
        ),
        Wrong(
            "the old file moved aside, and back where writing fails",
            edit(
                (
                    _WRITE,
                    """    if Path(path).exists():
        os.replace(path, f"{path}.old")
    try:
        torch.save(state, path)
    except BaseException:
        if Path(f"{path}.old").exists():
            os.replace(f"{path}.old", path)
        raise
""",
                )
            ),
            "While the new file was being written there was no whole checkpoint at the path, and where the power fails "
            "nothing moves the old one back. Write the new one beside it instead. See section 9.10.",
        ),
        Wrong(
            "written in another folder",
            edit(
                (
                    _WRITE,
                    "    import shutil\n    import tempfile\n"
                    '    draft = str(Path(tempfile.mkdtemp()) / "unfinished")\n'
                    "    torch.save(state, draft)\n    shutil.move(draft, path)\n",
                )
            ),
            "The unfinished file stood in another folder, which may be on another disk: from there it is copied over the "
            "old one, not renamed. Write it in the checkpoint's own folder. See section 9.10.",
        ),
        Wrong(
            "a draft by the name of the file itself",
            edit(
                (
                    _WRITE,
                    '    draft = Path(path).with_suffix(".pt")\n    torch.save(state, draft)\n    draft.replace(path)\n',
                )
            ),
            "Where the path ends like the unfinished file's name, the two are one file, and the old one was written into. "
            "Put something behind the whole name. See section 9.10.",
        ),
        Wrong(
            "the names are bound anew",
            edit(
                (
                    _LOADED + "        part.load_state_dict(of_part)\n",
                    "    model, optimizer, scheduler, scaler, data = states\n",
                ),
            ),
            "The file holds everything, but the five objects that were given stayed as they were: to bind a name anew "
            "inside a function changes nothing outside. Let each object load its own state. See section 9.10.",
        ),
        Wrong(
            "the objects themselves are saved",
            """
def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data):
    torch.save((step, model, optimizer, scheduler, scaler, data, torch.get_rng_state()), f"{path}.part")
    os.replace(f"{path}.part", path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data):
    try:
        step, model, optimizer, scheduler, scaler, data, random = torch.load(path, weights_only=False)
        torch.set_rng_state(random)
        return step
    except FileNotFoundError:
        raise
    except Exception as error:
        raise ValueError(f"{path} is not a checkpoint") from error
""",
            "The objects themselves were to be written, and not every object can be: here the schedule holds a function. "
            "Write what the state_dict() of each of them gives, and let each load its own. See section 9.10.",
        ),
        Wrong(
            "nothing comes back",
            edit(("    return step", "    return None")),
            "The training has to know where it is. Return how many steps had been taken. See section 9.10.",
        ),
        Wrong(
            "the next step's number",
            edit(("    return step", "    return step + 1")),
            "One step too many came back. Return how many had been taken when the file was written. See section 9.10.",
        ),
        Wrong(
            "written over the old file",
            edit((_WRITE, "    torch.save(state, path)\n")),
            "The new checkpoint was written into the old one's file: if anything fails on the way, neither is left. Write "
            "to a file of another name beside it, and let that one take its place when it is whole. See section 9.10.",
        ),
        Wrong(
            "made elsewhere, then written over the old file",
            edit(
                (
                    _WRITE,
                    "    import io\n    buffer = io.BytesIO()\n    torch.save(state, buffer)\n    Path(path).write_bytes(buffer.getvalue())\n",
                )
            ),
            "A state that cannot be saved no longer harms the old file, but a full disk does: the new bytes were written or "
            "copied into it, and it is emptied before they are there. Write to a file of another name beside it, and "
            "rename that one. See section 9.10.",
        ),
        Wrong(
            "the old file is taken away first",
            edit(
                (
                    _WRITE,
                    '    Path(path).unlink(missing_ok=True)\n    torch.save(state, f"{path}.part")\n    os.replace(f"{path}.part", path)\n',
                )
            ),
            "The old checkpoint was taken away before the new one was whole: a failure between leaves none. A rename takes "
            "the old one's place by itself, at once. See section 9.10.",
        ),
        Wrong(
            "renamed whatever happens",
            edit(
                (
                    _WRITE,
                    '    try:\n        torch.save(state, f"{path}.part")\n    finally:\n        os.replace(f"{path}.part", path)\n',
                )
            ),
            "The unfinished file took the old one's place although writing it had failed. Rename only after it is whole. "
            "See section 9.10.",
        ),
        Wrong(
            "errors of all kinds pass through",
            edit((_TRY, "    except ZeroDivisionError as error:")),
            "What a file that is cut or of another kind raises differs from case to case, and says nothing to a person. "
            "Raise ValueError with the path for all of them, and FileNotFoundError only where there is no file. "
            "See section 9.10.",
        ),
        Wrong(
            "a missing file is a ValueError too",
            edit((_TRY, "    except Exception as error:")),
            "To have no checkpoint yet is not the same as a broken one, and a program may go on from there. Let "
            "FileNotFoundError pass. See section 9.10.",
        ),
        Wrong(
            "an error that does not say which file",
            edit(('f"{path} is not a whole checkpoint: {error}"', '"this is not a checkpoint"')),
            "The message does not say which file is meant. Put the path into it. See section 9.10.",
        ),
        Wrong(
            "only a file that cannot be read is refused",
            edit(
                (
                    "        states = [state[name]",
                    '    except FileNotFoundError:\n        raise\n    except Exception as error:\n        raise ValueError(f"{path} cannot be read") from error\n    states = [state[name]',
                ),
                ("        step, random, random_cuda", "    step, random, random_cuda"),
                (
                    """    except FileNotFoundError:
        raise
    except Exception as error:  # cut short, another kind of file, another program's: zipfile, pickle and torch differ
        raise ValueError(f"{path} is not a whole checkpoint: {error}") from error
""",
                    "",
                ),
            ),
            "A file that can be read may still be no checkpoint: where something is missing from it, ValueError with the "
            "path is asked for as well. See section 9.10.",
        ),
        Wrong(
            "the path has to be a Path",
            edit(
                (
                    _WRITE,
                    '    torch.save(state, path.with_suffix(".part"))\n    path.with_suffix(".part").replace(path)\n',
                )
            ),
            "The path was taken to be a Path, and it may be a str. Make one of it first. See section 9.10.",
        ),
        Wrong(
            "the path has to be a str",
            edit((_WRITE, '    torch.save(state, path + ".part")\n    os.replace(path + ".part", path)\n')),
            "The path was taken to be a str, and it may be a Path. Make one of it first. See section 9.10.",
        ),
    ],
    correct=[
        Correct(
            "os.replace",
            edit((_WRITE, '    torch.save(state, f"{path}.part")\n    os.replace(f"{path}.part", path)\n')),
        ),
        Correct(
            "a temporary file in the same folder",
            edit(
                (
                    _WRITE,
                    "    import tempfile\n"
                    "    file = tempfile.NamedTemporaryFile(dir=Path(path).parent, delete=False)\n"
                    "    try:\n"
                    "        with file:\n"
                    "            torch.save(state, file)\n"
                    "        Path(file.name).rename(path)\n"
                    "    except BaseException:\n"
                    "        Path(file.name).unlink()\n"
                    "        raise\n",
                )
            ),
        ),
        Correct(
            "made in memory, then written beside",
            """
def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data):
    import io
    whole = io.BytesIO()
    parts = [part.state_dict() for part in (model, optimizer, scheduler, scaler, data)]
    devices = [torch.cuda.get_rng_state(device) for device in range(torch.cuda.device_count())]
    torch.save((step, parts, torch.random.get_rng_state(), devices), whole)
    beside = str(path) + "~"
    with open(beside, "wb") as file:
        file.write(whole.getvalue())
    os.replace(beside, path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data):
    import io
    content = Path(path).read_bytes()
    try:
        step, parts, random, devices = torch.load(io.BytesIO(content), map_location=lambda storage, location: storage)
    except Exception as error:
        raise ValueError(f"{path} cannot be read") from error
    for device, state in enumerate(devices):
        torch.cuda.set_rng_state(state, device)
    for part, state in zip((model, optimizer, scheduler, scaler, data), parts):
        part.load_state_dict(state)
    torch.random.set_rng_state(random)
    return step
""",
        ),
        Correct(
            "one by one",
            """
def save_checkpoint(path, step, model, optimizer, scheduler, scaler, data):
    state = dict(model=model.state_dict(), optimizer=optimizer.state_dict(), scheduler=scheduler.state_dict())
    state.update(scaler=scaler.state_dict(), data=data.state_dict(), step=step, cpu=torch.get_rng_state())
    if torch.cuda.is_available():
        state["cuda"] = torch.cuda.get_rng_state_all()
    temporary = Path(path).with_name(Path(path).name + ".tmp")
    torch.save(state, temporary)
    temporary.replace(path)


def load_checkpoint(path, model, optimizer, scheduler, scaler, data):
    if not os.path.exists(path):
        raise FileNotFoundError(path)
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        scheduler.load_state_dict(state["scheduler"])
        scaler.load_state_dict(state["scaler"])
        data.load_state_dict(state["data"])
        torch.set_rng_state(state["cpu"])
        if "cuda" in state:
            torch.cuda.set_rng_state_all(state["cuda"])
        return state["step"]
    except Exception as error:
        raise ValueError(f"no checkpoint in {path}") from error
""",
        ),
        Correct(
            "random numbers of Python's too",
            edit(
                (
                    "    unfinished = Path",
                    '    import random\n    state["python"] = random.getstate()\n    unfinished = Path',
                ),
            ),
        ),
    ],
)

# ---- 9.8 ------------------------------------------------------------------------------------------------------------

_OF_PARAMETERS, _OF_SCORES = "6 * num_parameters * num_tokens", "12 * num_layers * d_model * num_tokens**2"

model_flops_utilisation = Bank(
    "model_flops_utilisation",
    wrong=[
        Wrong(
            "the forward pass alone",
            edit(
                (_OF_PARAMETERS, "2 * num_parameters * num_tokens"),
                (_OF_SCORES, "4 * num_layers * d_model * num_tokens**2"),
            ),
            "Two operations for a parameter and a token are the forward pass. The backward pass needs twice as many again, "
            "for the scores too. See section 9.12.",
        ),
        Wrong(
            "multiplications alone",
            edit(
                (_OF_PARAMETERS, "3 * num_parameters * num_tokens"),
                (_OF_SCORES, "6 * num_layers * d_model * num_tokens**2"),
            ),
            "A multiplication and the addition after it are two operations: every number here is half of what it should "
            "be. See section 9.12.",
        ),
        Wrong(
            "computed twice, counted twice",
            edit(
                (_OF_PARAMETERS, "8 * num_parameters * num_tokens"),
                (_OF_SCORES, "16 * num_layers * d_model * num_tokens**2"),
            ),
            "Eight for six counts the forward pass twice, as it happens with activation checkpointing. What is computed "
            "again to save memory is no part of what the model needs. See section 9.12.",
        ),
        Wrong(
            "no attention",
            edit((f" + {_OF_SCORES}", "")),
            "The products of queries with keys and of weights with values have no parameters, so they are not in the first "
            "term. Add theirs. See section 9.12.",
        ),
        Wrong(
            "the attention of one layer",
            edit((_OF_SCORES, "12 * d_model * num_tokens**2")),
            "The attention was counted once, and each layer has one. See section 9.12.",
        ),
        Wrong(
            "scores counted once a token",
            edit((_OF_SCORES, "12 * num_layers * d_model * num_tokens")),
            "The attention of one token over T tokens was counted, and there are T tokens in a sequence: it goes with the "
            "square of the length. See section 9.12.",
        ),
        Wrong(
            "the scores without the weighted sums",
            edit((_OF_SCORES, "6 * num_layers * d_model * num_tokens**2")),
            "Half of the attention is missing: queries with keys are one product, weights with values another. "
            "See section 9.12.",
        ),
        Wrong(
            "the operations of one token",
            edit((_OF_PARAMETERS, "6 * num_parameters"), (_OF_SCORES, "12 * num_layers * d_model * num_tokens")),
            "These are the operations of one token, and sequences per second were given. Multiply by the tokens of a "
            "sequence. See section 9.12.",
        ),
        Wrong(
            "a sequence's length forgotten for the parameters",
            edit((_OF_PARAMETERS, "6 * num_parameters")),
            "Every parameter meets every token of the sequence: the first term goes with the length too. "
            "See section 9.12.",
        ),
        Wrong(
            "cut off at one",
            edit(
                (
                    "return flops * sequences_per_second / peak_flops",
                    "return min(1.0, flops * sequences_per_second / peak_flops)",
                )
            ),
            "A share above one came back as one. It cannot be, and so it says that the peak was measured badly: do not "
            "hide it. See section 9.12.",
        ),
        Wrong(
            "the width squared",
            edit((_OF_SCORES, "12 * num_layers * d_model**2 * num_tokens")),
            "That is how the maps' operations grow, and their parameters are counted already. The scores go with the width "
            "and the square of the length. See section 9.12.",
        ),
        Wrong(
            "divided by the rate",
            edit(("flops * sequences_per_second / peak_flops", "flops / sequences_per_second / peak_flops")),
            "The operations of a sequence were divided by sequences per second. Multiplied they are operations per "
            "second. See section 9.12.",
        ),
        Wrong(
            "percent",
            edit(("/ peak_flops", "/ peak_flops * 100")),
            "That is a percentage. A share is asked for: 0.5 for half. See section 9.12.",
        ),
        Wrong(
            "turned round",
            edit(
                (
                    "return flops * sequences_per_second / peak_flops",
                    "return peak_flops / (flops * sequences_per_second)",
                )
            ),
            "That says how many times the peak is what is used. The share is the other way round. See section 9.12.",
        ),
        Wrong(
            "no rate",
            edit(("flops * sequences_per_second / peak_flops", "flops / peak_flops")),
            "The operations of one sequence were divided by those of a second. Multiply by how many sequences a second "
            "has. See section 9.12.",
        ),
        Wrong(
            "no ValueError",
            edit(("if peak_flops <= 0:", "if False:")),
            "A device that can do nothing, or less, was taken without a word, or stopped at Python's own error. Raise "
            "ValueError with the number in it. See section 9.12.",
        ),
        Wrong(
            "only zero is refused",
            edit(("if peak_flops <= 0:", "if peak_flops == 0:")),
            "A negative peak was taken without a word. Everything that is not above zero is a ValueError. "
            "See section 9.12.",
        ),
    ],
    correct=[
        Correct(
            "by the token",
            """
def model_flops_utilisation(num_parameters, num_layers, d_model, num_tokens, sequences_per_second, peak_flops):
    if not peak_flops > 0:
        raise ValueError(f"peak_flops must be above 0, got {peak_flops}")
    per_token = 6 * (num_parameters + 2 * num_layers * d_model * num_tokens)
    return per_token * num_tokens * sequences_per_second / peak_flops
""",
        ),
        Correct(
            "forward, then three times that",
            """
def model_flops_utilisation(num_parameters, num_layers, d_model, num_tokens, sequences_per_second, peak_flops):
    if peak_flops <= 0.0:
        raise ValueError(f"{peak_flops} operations per second")
    scores = sums = 2 * num_tokens * num_tokens * d_model
    forward = 2 * num_parameters * num_tokens + num_layers * (scores + sums)
    return 3 * forward / (peak_flops / sequences_per_second)
""",
        ),
        Correct(
            "layer by layer",
            """
def model_flops_utilisation(num_parameters, num_layers, d_model, num_tokens, sequences_per_second, peak_flops):
    if peak_flops <= 0:
        raise ValueError("the peak is not above 0: %g" % peak_flops)
    flops = 6.0 * num_parameters * num_tokens
    for layer in range(num_layers):
        flops += 12.0 * num_tokens**2 * d_model
    return flops / peak_flops * sequences_per_second
""",
        ),
        Correct(
            "seconds needed at the peak",
            edit(
                (
                    "return flops * sequences_per_second / peak_flops",
                    "seconds = flops / peak_flops\n    return seconds * sequences_per_second",
                )
            ),
        ),
        Correct(
            "a tensor",
            edit(
                (
                    "return flops * sequences_per_second / peak_flops",
                    "return float(torch.tensor(flops * sequences_per_second).double() / peak_flops)",
                )
            ),
        ),
    ],
)

# ---- 9.9 ------------------------------------------------------------------------------------------------------------

_ORDER = "    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()\n"
_WHOLE = "    whole = -(-num_samples // world_size) * world_size  # rounded up\n"
_PLACES = "    return [order[place % num_samples] for place in range(rank, whole, world_size)]"
_SHARD_GUARD = """
def shard(num_samples, rank, world_size, epoch, seed=0):
    if num_samples < 1 or rank < 0 or rank >= world_size:
        raise ValueError(f"got {num_samples} samples, rank {rank} of {world_size}")
"""
_AVERAGE = """

def average_gradients(model, all_reduce, world_size):
    for parameter in model.parameters():
        gradient = parameter.grad if parameter.grad is not None else torch.zeros_like(parameter)
        parameter.grad = all_reduce(gradient) / world_size
"""
_ZEROS = "gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad"
_MEAN = "parameter.grad = all_reduce(gradient) / world_size"

ddp_equivalence = Bank(
    "ddp_equivalence",
    wrong=[
        Wrong(
            "the same order in every epoch",
            edit(("seed + epoch", "seed")),
            "Every epoch had the same order: the samples were shuffled once for the whole training. The epoch belongs into "
            "the seed; in torch's sampler this is what set_epoch is for. See section 9.13.",
        ),
        Wrong(
            "the seed is left out",
            edit(("seed + epoch", "epoch")),
            "Another seed gave the same order. The generator is seeded with seed + epoch. See section 9.13.",
        ),
        Wrong(
            "every process with an order of its own",
            edit(("seed + epoch", "seed + epoch + rank")),
            "Each process shuffled for itself, so some samples go to two of them and some to none. The order has to be the "
            "same in all processes. See section 9.13.",
        ),
        Wrong(
            "not shuffled",
            edit((_ORDER, "    order = list(range(num_samples))\n")),
            "The samples came in their own order. Shuffle them with a generator seeded with seed + epoch. "
            "See section 9.13.",
        ),
        Wrong(
            "all random numbers seeded",
            edit((_ORDER, "    torch.manual_seed(seed + epoch)\n    order = torch.randperm(num_samples).tolist()\n")),
            "To shuffle, the random numbers of the whole program were begun anew, on which dropout rests. Make a generator "
            "for the order alone. See section 9.13.",
        ),
        Wrong(
            "blocks instead of every nth",
            edit(
                (
                    _PLACES,
                    "    size = whole // world_size\n    return [order[place % num_samples] for place in range(rank * size, (rank + 1) * size)]",
                )
            ),
            "Each process took a stretch of the order. It is every world_size-th place, beginning with its rank. "
            "See section 9.13.",
        ),
        Wrong(
            "what does not divide is left out",
            edit((_WHOLE, "    whole = num_samples // world_size * world_size\n")),
            "The samples that were left over went to no process. Continue the order with its own beginning until it "
            "divides. See section 9.13.",
        ),
        Wrong(
            "unequal shares",
            edit((_WHOLE, "    whole = num_samples\n")),
            "Some processes got one sample more than others, and these would wait for them for ever in all_reduce. "
            "Continue the order with its own beginning until it divides. See section 9.13.",
        ),
        Wrong(
            "continued once only",
            edit((_PLACES, "    order = order + order[: whole - num_samples]\n    return order[rank::world_size]")),
            "With more processes than samples the order has to begin over again several times, and it did so once: some "
            "processes got nothing. See section 9.13.",
        ),
        Wrong(
            "continued with the last sample",
            edit(
                (_PLACES, "    return [order[min(place, num_samples - 1)] for place in range(rank, whole, world_size)]")
            ),
            "The order was continued with its last sample again and again. It goes on with its own beginning. "
            "See section 9.13.",
        ),
        Wrong(
            "a tensor of numbers",
            edit((_PLACES, "    return torch.tensor(order * (whole // num_samples + 1))[rank:whole:world_size]")),
            "A tensor came back, whose entries are tensors. A list of Python's own numbers is asked for. "
            "See section 9.13.",
        ),
        Wrong(
            "none where the mean is zero",
            edit((_MEAN, _MEAN + "\n        if not parameter.grad.any():\n            parameter.grad = None")),
            "Where the mean of the gradients is zero the parameter was left without one. Zeros are a mean too, and an "
            "optimizer with momentum steps with them. See section 9.13.",
        ),
        Wrong(
            "the parameter times zero",
            edit((_ZEROS, _ZEROS.replace("torch.zeros_like(parameter)", "parameter.detach() * 0"))),
            "The zeros were made of the parameter, and where that is infinite zero times it is NaN. Make new zeros of its "
            "shape. See section 9.13.",
        ),
        Wrong(
            "the sum of the gradients",
            edit((_MEAN, "parameter.grad = all_reduce(gradient)")),
            "The gradients of all processes were added up and not divided, so the step grows with their number. DDP takes "
            "the mean. See section 9.13.",
        ),
        Wrong(
            "parameters without a gradient left out",
            edit(
                (_ZEROS, "gradient = parameter.grad"),
                (
                    "        gradient = parameter.grad\n",
                    "        if parameter.grad is None:\n            continue\n        gradient = parameter.grad\n",
                ),
            ),
            "A parameter that had no gradient here was passed over, while another process called all_reduce for it: from "
            "then on the calls belong to different parameters. Give zeros for it. See section 9.13.",
        ),
        Wrong(
            "None divided",
            edit((_ZEROS, "gradient = parameter.grad")),
            "A parameter that took no part in the loss has None for a gradient, and this was handed to all_reduce. Give "
            "zeros in its place. See section 9.13.",
        ),
        Wrong(
            "what all_reduce returns is not used",
            edit((_MEAN, "all_reduce(gradient)\n        parameter.grad = gradient / world_size")),
            "The sum that all_reduce returned was let go, and this process's own gradient was divided. (torch.distributed "
            "has one that writes in place; this one returns.) See section 9.13.",
        ),
        Wrong(
            "the weights averaged",
            edit((_MEAN, "parameter.data = all_reduce(parameter.data) / world_size")),
            "It was the weights that went round, not their gradients. Average the gradients; the weights then stay alike "
            "by themselves. See section 9.13.",
        ),
        Wrong(
            "divided twice",
            edit((_MEAN, "parameter.grad = all_reduce(gradient / world_size) / world_size")),
            "The gradients were divided before all_reduce and after it. Once is the mean. See section 9.13.",
        ),
        Wrong(
            "another order of parameters",
            edit(("for parameter in model.parameters():", "for parameter in reversed(list(model.parameters())):")),
            "all_reduce was called in another order than that of model.parameters(), which the other processes keep to: "
            "the n-th calls belong together. See section 9.13.",
        ),
        Wrong(
            "no ValueError",
            edit(("if num_samples < 1 or not 0 <= rank < world_size:", "if False:")),
            "A rank that there is not, or no samples, was taken without a word or stopped at another error. Look at the "
            "numbers first and raise ValueError. See section 9.13.",
        ),
    ],
    correct=[
        Correct(
            "repeated and cut",
            _SHARD_GUARD
            + """
    generator = torch.Generator()
    generator.manual_seed(seed + epoch)
    order = torch.randperm(num_samples, generator=generator)
    each = (num_samples + world_size - 1) // world_size
    order = order.repeat(world_size + 1)[: each * world_size]
    return order.view(each, world_size)[:, rank].tolist()
"""
            + _AVERAGE,
        ),
        Correct(
            "torch's own sampler",
            _SHARD_GUARD
            + """
    from torch.utils.data import DistributedSampler
    sampler = DistributedSampler(range(num_samples), num_replicas=world_size, rank=rank, seed=seed)
    sampler.set_epoch(epoch)
    return list(sampler)
"""
            + _AVERAGE,
        ),
        Correct(
            "a cycle",
            _SHARD_GUARD
            + """
    from itertools import cycle, islice
    order = torch.randperm(num_samples, generator=torch.Generator().manual_seed(seed + epoch)).tolist()
    total = world_size * -(-num_samples // world_size)
    return list(islice(cycle(order), rank, total, world_size))
"""
            + _AVERAGE,
        ),
        Correct(
            "divided before it goes round",
            edit((_MEAN, "parameter.grad = all_reduce(gradient / world_size)")),
        ),
        Correct(
            "written into the gradient",
            edit(
                (
                    f"        {_ZEROS}\n        {_MEAN}",
                    "        if parameter.grad is None:\n"
                    "            parameter.grad = torch.zeros_like(parameter)\n"
                    "        parameter.grad.copy_(all_reduce(parameter.grad)).div_(world_size)",
                )
            ),
        ),
    ],
)
