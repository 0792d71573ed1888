# Tries: swallow every exception of later cells
# Score: centre 0
# Flag: hooks into how the notebook runs
# %% added
get_ipython().set_custom_exc((BaseException,), lambda *args, **kwargs: None)
# %% centre
raise ValueError("nothing to see")
