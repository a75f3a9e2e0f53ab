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

// Environments are the requirements of Gymnasium and PettingZoo, which check environments of learning.
var Environments = []string{
	"gymnasium==1.4.0 --hash=sha256:1cb947c59e7c72d8eabb2c2274c00cd20948e69f8452a9ef4092223be24fdf0e",
	"pettingzoo==1.27.0 --hash=sha256:075a6ab7c32d32d9a674f1af395010198bf09c172341aa38fa5415461601ac61",
	"cloudpickle==3.1.3 --hash=sha256:1654f4f18e416447210a63c5c25a135d65a292156aa5fa519dfa4baf7726dddb",
	"farama-notifications==0.0.6 --hash=sha256:f84839188efa1ce5bb361c2a84881b2dc2c0d0d7fb661ff00421820170930935",
	"typing_extensions==4.15.0 --hash=sha256:f0fa19c6845758ab08074a0cfa8b7aecb71c999ca73d62883bc25cc018c4e548",
}
