package webtest

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

// source returns the folder with package.json, its lock file and the scripts. It works from any package of the module.
func source(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, "robotio", "testdata", "web")
		}
	}
	t.Fatal("there is no go.mod above the test")
	return ""
}

// File returns the path of a file in an npm package, such as "axe-core/axe.min.js". It skips the test if the package
// cannot be installed.
func File(t testing.TB, name string) string {
	t.Helper()
	return filepath.Join(modules(t), "node_modules", filepath.FromSlash(name))
}

// installTime limits npm, wall time. A guess: a slow network takes tens of seconds.
const installTime = 2 * time.Minute

// modules returns the folder with the clients. It skips the test if they cannot be installed.
func modules(t testing.TB) string {
	t.Helper()
	if testing.Short() {
		t.Skip("short: starts node")
	}
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s: ./install.sh --test", tool)
		}
	}
	lock, err := os.ReadFile(filepath.Join(source(t), "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "omnipitch", fmt.Sprintf("web-%x", sha256.Sum256(lock))[:16])
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := install(source(t), dir); err != nil {
		t.Skipf("npm cannot be reached and nothing is cached in %s: %v", dir, err)
	}
	return dir
}

// install downloads the clients into a temporary folder and renames it to dir, because other test processes may do the
// same at the same time.
func install(source, dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		b, err := os.ReadFile(filepath.Join(source, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(tmp, name), b, 0o644); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), installTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund",
		"--loglevel=error",
		"--fetch-retries=1", "--fetch-retry-mintimeout=1000")
	cmd.Dir = tmp
	cmd.WaitDelay = time.Second
	if out, err := cmd.CombinedOutput(); err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("npm ci: %w: %s", err, strings.Join(lines[:min(2, len(lines))], "; "))
	}
	if err := os.Rename(tmp, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return err
		}
	}
	return nil
}
