package webtest

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// deadline limits the wait for a condition; it is generous because machines are shared.
const deadline = 60 * time.Second

// Until waits for a condition.
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
	if err := os.Symlink(filepath.Join(modules(t), "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{script, "check.mjs"} {
		b, err := os.ReadFile(filepath.Join(source(t), name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
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
