package webtest

import (
	"bufio"
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/omnipitch/omnipitch/testdata/must"
)

// deadline is the maximum wall time of waiting for a condition. It is long because machines are shared.
const deadline = 60 * time.Second

// Until waits until the function ok returns true. what describes the condition in the failure message.
func Until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(deadline); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited %v for %s", deadline, what)
		}
	}
}

// Program is a script that runs under Node.js.
type Program struct {
	t    testing.TB
	cmd  *exec.Cmd
	done chan struct{}
	err  error

	mu    sync.Mutex
	lines []string
}

// Start starts a script of testdata/web. It kills the script when the test ends and logs the output if the test failed.
func Start(t testing.TB, script string, args ...string) *Program {
	t.Helper()
	dir := t.TempDir() // node looks for modules in the folder of the script
	must.Do(t, os.Symlink(filepath.Join(modules(t), "node_modules"), filepath.Join(dir, "node_modules")))
	for _, name := range []string{script, "check.mjs"} {
		b := must.Get(os.ReadFile(filepath.Join(source(t), name)))(t)
		must.Do(t, os.WriteFile(filepath.Join(dir, name), b, 0o644))
	}
	p := &Program{t: t, cmd: exec.Command("node", append([]string{filepath.Join(dir, script)}, args...)...),
		done: make(chan struct{})}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stdout, p.cmd.Stderr = w, w
	err = p.cmd.Start()
	w.Close()
	if err != nil {
		r.Close()
		t.Fatal(err)
	}
	go func() {
		defer close(p.done)
		defer r.Close()
		for s := bufio.NewScanner(r); s.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, s.Text())
			p.mu.Unlock()
		}
		p.err = p.cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.done
		if t.Failed() {
			t.Logf("output of %s:\n%s", script, p.Output())
		}
	})
	return p
}

// Output returns what the script has written so far.
func (p *Program) Output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.Join(p.lines, "\n")
}

// Prints waits until the script has written text.
func (p *Program) Prints(text string) {
	p.t.Helper()
	Until(p.t, "the script to print "+text, func() bool {
		if strings.Contains(p.Output(), text) {
			return true
		}
		select {
		case <-p.done:
			if !strings.Contains(p.Output(), text) {
				p.t.Fatalf("the script ended with %v without printing %q", p.err, text)
			}
		default:
		}
		return false
	})
}

// End waits until the script ends successfully.
func (p *Program) End() {
	p.t.Helper()
	select {
	case <-p.done:
		if p.err != nil {
			p.t.Errorf("node: %v", p.err)
		}
	case <-time.After(deadline):
		p.t.Fatalf("the script still runs after %v", deadline)
	}
}

// source returns the folder with package.json, its lock file and the scripts. It works from any package of the module.
func source(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.Getwd())(t)
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

// installTime is the maximum wall time of npm. It is a guess: with a slow network, npm takes tens of seconds.
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
	lock := must.Get(os.ReadFile(filepath.Join(source(t), "package-lock.json")))(t)
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

// install downloads the clients into a temporary folder and renames the folder to dir. So other test processes may
// install the clients at the same time.
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
		"--loglevel=error", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")
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
