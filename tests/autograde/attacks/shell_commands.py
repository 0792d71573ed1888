# Tries: start a shell, a package installer and the grader's own command
# Score: centre 0
# Flag: starts or ends processes
# %% centre
get_ipython().system("curl http://example.org")
get_ipython().getoutput("cat /etc/passwd")
import os, subprocess
def centre(x):
    return x
print(os.system("ls /"), subprocess.run(["/bin/sh", "-c", "id"]))
