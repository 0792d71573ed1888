# Tries: start a shell, a package installer and the grader's own command
# Score: centre 0
# Flag: starts or ends processes
# %% centre
!curl http://example.org
!cat /etc/passwd
import os, subprocess
def centre(x):
    return x
print(os.system("ls /"), subprocess.run(["/bin/sh", "-c", "id"]))
