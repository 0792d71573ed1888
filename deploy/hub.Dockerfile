# What a student's server on the hub runs: the grading image, JupyterHub's own program in it, and ngshare's exchange.
#
#   docker build -f deploy/Dockerfile -t attention-from-scratch .
#   docker build -f deploy/hub.Dockerfile -t REGISTRY/attention-from-scratch-hub:1.0.0 deploy
FROM attention-from-scratch
USER root
# ngshare_exchange asks for a jupyter-core of 2022, with which JupyterLab does not run: it comes without what it asks for.
RUN /course/.venv/bin/python -m pip install --no-cache-dir --constraint /course/requirements.txt "jupyterhub==5.*" rapidfuzz \
 && /course/.venv/bin/python -m pip install --no-cache-dir --no-deps ngshare_exchange==0.5.3
USER grader
WORKDIR /home/grader
ENTRYPOINT []
CMD ["jupyterhub-singleuser"]
