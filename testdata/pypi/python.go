// Package pypi runs Python programs of tests with packages from PyPI.
//
// The first run downloads the packages into the user's cache folder, so that later runs need no network.
//
//	out, err := exec.Command(pypi.Python(t, "rosbags==0.11.9 --hash=sha256:010c…"), "-c", script).Output()
package pypi

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// debianPython is the interpreter that has the Python packages of ./install.sh --test, such as numpy.
const debianPython = "/usr/bin/python3"

// installTime is the maximum wall time of an installation. It is a guess: with a slow network, pip takes tens of
// seconds.
const installTime = 2 * time.Minute

// Python returns the path of a Python interpreter that has the required packages and those of the system. Each
// requirement is a line of pip's requirements files, with a version and a hash. Packages that they depend on must be
// given, too. Python skips the test if the packages cannot be installed.
func Python(t testing.TB, requirements ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts Python")
	}
	text := strings.Join(requirements, "\n")
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "omnipitch", fmt.Sprintf("pypi-%x", sha256.Sum256([]byte(text)))[:17])
	if _, err := os.Stat(dir); err != nil {
		if err := install(text, dir); err != nil {
			t.Skipf("no Python packages in %s: %v: ./install.sh --test", dir, err)
		}
	}
	return filepath.Join(dir, "bin", "python")
}

// install makes a virtual environment in a temporary folder and renames the folder to dir. So other test processes may
// install the packages at the same time.
func install(requirements, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	list := filepath.Join(tmp, "requirements.txt")
	if err := os.WriteFile(list, []byte(requirements), 0o644); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), installTime)
	defer cancel()
	for _, args := range [][]string{
		{debianPython, "-m", "venv", "--system-site-packages", tmp},
		{filepath.Join(tmp, "bin", "python"), "-m", "pip", "install", "-q", "--no-deps", "--require-hashes",
			"--disable-pip-version-check", "-r", list},
	} {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.WaitDelay = time.Second
		if out, err := cmd.CombinedOutput(); err != nil {
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			return fmt.Errorf("%s: %w: %s", filepath.Base(args[0]), err, lines[len(lines)-1])
		}
	}
	if err := os.Rename(tmp, dir); err != nil && !os.IsExist(err) {
		if _, there := os.Stat(dir); there != nil {
			return err
		}
	}
	return nil
}
