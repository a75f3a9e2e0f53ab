// Package rospeer runs a ROS 1 node in its own process, so that its cost can be measured. The node publishes,
// subscribes, serves and relays; it is controlled by commands on stdin. It is either a hidden command of omnipitch, or
// a roscpp program that is compiled on demand.
package rospeer

import (
	"bufio"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/omnipitch/omnipitch/cmd/internal/console"
)

//go:embed roscpp
var roscppSources embed.FS

// CompileRoscpp compiles the node in roscpp/ into a folder and returns the program. Without a compiler or roscpp it
// returns an Unavailable error.
func CompileRoscpp(ctx context.Context, dir string) (string, error) {
	for _, need := range []struct{ program, pkg string }{{"c++", "g++"}, {"pkg-config", "pkg-config"}} {
		if _, err := exec.LookPath(need.program); err != nil {
			return "", console.Unavailablef("bench ros1 compiles a roscpp node, and there is no %s: apt-get install %s",
				need.program, need.pkg)
		}
	}
	flags, err := exec.CommandContext(ctx, "pkg-config", "--cflags", "--libs", "roscpp").Output()
	if err != nil {
		return "", console.Unavailablef("bench ros1 compares with roscpp, which is missing: apt-get install " +
			"libroscpp-dev")
	}
	if err := os.CopyFS(dir, roscppSources); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "peer")
	args := append([]string{"-std=c++17", "-O2", filepath.Join(dir, "roscpp", "peer.cpp"), "-o", program},
		strings.Fields(string(flags))...)
	if out, err := exec.CommandContext(ctx, "c++", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("c++: %w\n%s", err, out)
	}
	return program, nil
}

// Process is a peer in its own process. It ends when its stdin does.
type Process struct {
	ctx  context.Context
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs strings.Builder
}

// Start starts a peer and waits until it has taken on its roles: triples of role, type and topic. The argument program
// is the roscpp program; "" means our node.
func Start(ctx context.Context, uri, home, program, name string, roles ...string) (*Process, error) {
	args := []string{name}
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		program, args = self, []string{"bench", "ros1-peer", name}
	}
	cmd := exec.CommandContext(ctx, program, append(args, roles...)...)
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "ROS_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "ROS_IP=127.0.0.1", "ROS_MASTER_URI="+uri, "ROS_HOME="+home, "ROS_LOG_DIR="+home)
	return Launch(ctx, cmd, name)
}

// Launch starts a program with the peer protocol, and waits for its first answer.
func Launch(ctx context.Context, cmd *exec.Cmd, name string) (*Process, error) {
	p := &Process{ctx: ctx, name: name, cmd: cmd}
	cmd.Stderr = &p.errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if _, err := p.answer(); err != nil {
		p.Kill()
		return nil, err
	}
	return p, nil
}

// Ask sends a command and returns the answer.
func (p *Process) Ask(format string, args ...any) (Answer, error) {
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		return Answer{}, p.failed(err)
	}
	return p.answer()
}

func (p *Process) answer() (a Answer, err error) {
	line, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err != nil {
		return a, p.failed(err)
	}
	return a, nil
}

func (p *Process) failed(err error) error {
	if p.ctx.Err() != nil {
		return p.ctx.Err()
	}
	p.Kill()
	return fmt.Errorf("process %s: %w (%v)\n%s", p.name, err, p.cmd.ProcessState, p.errs.String())
}

// Kill kills the process.
func (p *Process) Kill() {
	p.cmd.Process.Kill() // fails if the process has ended
	p.cmd.Wait()
}

// CPU returns the processor time of the process, as the kernel accounts it for the process' present threads. It fails
// where the system does not have /proc/PID/task/TID/schedstat.
func (p *Process) CPU() (used time.Duration, err error) {
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.cmd.Process.Pid))
	if err != nil || len(paths) == 0 {
		return 0, fmt.Errorf("process %s: /proc/%d/task/*/schedstat: no such file", p.name, p.cmd.Process.Pid)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) { // the thread has ended
			continue
		}
		var ns int64
		if _, scanErr := fmt.Sscan(string(text), &ns); err != nil || scanErr != nil {
			return 0, fmt.Errorf("process %s: %s: %w", p.name, path, cmp.Or(err, scanErr))
		}
		used += time.Duration(ns)
	}
	return used, nil
}
