package main

import (
	"bufio"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/omnipitch/omnipitch/cmd/exit"
)

//go:embed roscpp
var roscppSources embed.FS

// compileRoscpp compiles the node of roscpp/ into a folder and returns the program. It fails with lacking where the machine has no
// compiler or no roscpp.
func compileRoscpp(ctx context.Context, dir string) (string, error) {
	for _, need := range []struct{ program, pkg string }{{"c++", "g++"}, {"pkg-config", "pkg-config"}} {
		if _, err := exec.LookPath(need.program); err != nil {
			return "", exit.Lackingf("bench ros1 compiles a roscpp node, and there is no %s: apt-get install %s", need.program, need.pkg)
		}
	}
	flags, err := exec.CommandContext(ctx, "pkg-config", "--cflags", "--libs", "roscpp").Output()
	if err != nil {
		return "", exit.Lackingf("bench ros1 compares with roscpp, and there is none: apt-get install libroscpp-dev")
	}
	if err := os.CopyFS(dir, roscppSources); err != nil {
		return "", err
	}
	program := filepath.Join(dir, "peer")
	args := append([]string{"-std=c++17", "-O2", filepath.Join(dir, "roscpp", "peer.cpp"), "-o", program}, strings.Fields(string(flags))...)
	if out, err := exec.CommandContext(ctx, "c++", args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("c++: %w\n%s", err, out)
	}
	return program, nil
}

// rosProcess is a peer in a process of its own; it ends when its stdin does.
type rosProcess struct {
	ctx  context.Context
	name string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	errs strings.Builder
}

// startPeer starts a peer of either kind and waits until it has taken on its roles: triples of role, type and topic.
func startPeer(ctx context.Context, uri, home, program, name string, roles ...string) (*rosProcess, error) {
	args := []string{name}
	if program == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		program, args = self, []string{"bench", "ros1-peer", name}
	}
	p := &rosProcess{ctx: ctx, name: name, cmd: exec.CommandContext(ctx, program, append(args, roles...)...)}
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "ROS_") {
			p.cmd.Env = append(p.cmd.Env, e)
		}
	}
	p.cmd.Env = append(p.cmd.Env, "ROS_IP=127.0.0.1", "ROS_MASTER_URI="+uri, "ROS_HOME="+home, "ROS_LOG_DIR="+home)
	p.cmd.Stderr = &p.errs
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	if _, err := p.answer(); err != nil {
		p.kill()
		return nil, err
	}
	return p, nil
}

// ask gives an order and waits until it is done.
func (p *rosProcess) ask(format string, args ...any) (rosAnswer, error) {
	if _, err := fmt.Fprintf(p.in, format+"\n", args...); err != nil {
		return rosAnswer{}, p.failed(err)
	}
	return p.answer()
}

func (p *rosProcess) answer() (a rosAnswer, err error) {
	line, err := p.out.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &a)
	}
	if err != nil {
		return a, p.failed(err)
	}
	return a, nil
}

var errInterrupted = errors.New("interrupted: nothing was printed")

func (p *rosProcess) failed(err error) error {
	if p.ctx.Err() != nil {
		return errInterrupted
	}
	p.kill()
	return fmt.Errorf("node %s: %w (%v)\n%s", p.name, err, p.cmd.ProcessState, p.errs.String())
}

// kill ends the process whatever it does.
func (p *rosProcess) kill() {
	p.cmd.Process.Kill() // fails if it is over
	p.cmd.Wait()
}
