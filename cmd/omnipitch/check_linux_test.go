package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
	"github.com/omnipitch/omnipitch/testdata/models"
)

// withPeak runs a program and prints its peak memory in kB. Linux counts the memory of a process also for the programs
// that it starts, so a direct child would show the memory of all earlier tests.
const withPeak = `
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(done.returncode)`

// TestChecksOfTooMuchTakeLittle checks worlds that are too large for any run, or never end. The check and the run must
// end with exit code 2 and one sentence, and take less than 100 MB.
func TestChecksOfTooMuchTakeLittle(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) { put(t, filepath.Join(dir, name), text) }
	noError(t, syscall.Mkfifo(filepath.Join(dir, "fifo.gltf"), 0o644),
		os.Symlink("/dev/zero", filepath.Join(dir, "device.gltf")))
	positions, indices := models.Grid(2, 20)
	carpets := models.Text(positions, indices, true, 10)
	write("carpets.gltf", carpets)
	write("count.gltf", strings.Replace(carpets, `"count": 9`, `"count": 1000000000000`, 1))
	write("zeros.gltf", strings.Replace(carpets, `"bufferView": 0, `, ``, 1))
	write("negative.gltf", strings.Replace(carpets, `"mesh":0`, `"mesh":-1`, 1))
	for name, want := range map[string]string{
		"fifo":     ":4:1: prop[0]: file = \"fifo.gltf\": is a FIFO: must be a regular file",
		"device":   "is a device: must be a regular file",
		"count":    "accessor 0: count = 1000000000000: must lie in [1, ",
		"zeros":    "accessor 0: has neither a buffer view nor sparse values",
		"negative": "mesh -1: there are 1",
		"carpets":  ":5:1: prop[0]: scale = 1: big takes more of a renderer's memory than the 256 MiB that are left",
	} {
		write(name+".toml",
			"include = [\"nubot-attack\"]\n[[prop]]\nname = \"big\"\nfile = \""+name+".gltf\"\nscale = 1\nhang = { x_m = -10, y_m = -10 }\n")
		for _, args := range [][]string{{"check"}, {"run", "--ros1", "off", "--for", "1s"}} {
			p := start(t, "", append([]string{"/usr/bin/python3", "-c", withPeak, program(t)},
				append(args, filepath.Join(dir, name+".toml"))...)...)
			p.wantExit(console.ExitBadInput, want)
			if most, err := strconv.Atoi(strings.TrimSpace(p.stdout())); err != nil || most > 100_000 {
				t.Errorf("%v %s: took %d kB: %v", args, name, most, err)
			}
		}
	}
}
