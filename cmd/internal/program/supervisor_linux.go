package program

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// supervisor is the parent of a program, and of all processes that it has left.
type supervisor struct {
	program int // its process, which leads a group of its own; 0 once it has ended
	reports *json.Encoder
}

// Supervise starts the program that the first line of orders names, and reports how it ends. It returns when neither
// the program is left nor anything that it has started. Once orders end, or a signal asks for it, it ends all of them.
// It takes over the whole process.
func Supervise(orders io.Reader, reports io.Writer) error {
	// the program is killed when the thread ends that has started it: this one never does before the process
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("supervise: %w", err)
	}
	children, stop := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // the reader of the reports may be gone

	in := bufio.NewReader(orders)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil // who would have ordered has been killed
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return fmt.Errorf("supervise: order %.80q: %w", line, err)
	}
	over := make(chan struct{})
	go func() {
		_, _ = io.Copy(io.Discard, in)
		close(over)
	}()
	s := &supervisor{reports: json.NewEncoder(reports)}
	logs, err := os.MkdirTemp("", "omnipitch-ros-") // here, so that it goes whatever becomes of the run
	if err == nil {
		defer os.RemoveAll(logs)
		if !slices.ContainsFunc(o.Env, func(e string) bool { return strings.HasPrefix(e, logVariable) }) {
			o.Env = append(o.Env, logVariable+logs)
		}
		err = s.start(&o)
	}
	if err != nil {
		return s.reports.Encode(report{Failed: err.Error()})
	}
	s.report(report{})
	s.watch(children, stop, over, o.StopWithin)
	return nil
}

// logVariable is where ROS nodes write logs; without it into the user's home.
const logVariable = "ROS_LOG_DIR="

// start starts the program. Its stdout is our stderr, as its stderr is.
func (s *supervisor) start(o *order) error {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	s.program, err = syscall.ForkExec(o.Command[0], o.Command, &syscall.ProcAttr{
		Dir: o.Folder, Env: o.Env, Files: []uintptr{null.Fd(), 2, 2},
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	return err
}

// report tells the run, unless it is gone.
func (s *supervisor) report(r report) { _ = s.reports.Encode(r) }

// killEvery is the wall time after which we look again for children to kill. A guess.
const killEvery = 10 * time.Millisecond

// watch returns when no child is left. Killing children makes theirs ours, until there are none: those alone are killed
// whose number is nobody else's.
func (s *supervisor) watch(children, stop <-chan os.Signal, over <-chan struct{}, stopWithin time.Duration) {
	var late, again <-chan time.Time
	for s.reap() {
		if again != nil {
			s.signal(syscall.SIGKILL)
		}
		select {
		case <-children:
			continue
		case <-again:
			continue
		case <-late:
			late, again = nil, time.Tick(killEvery)
			continue
		case <-stop:
		case <-over:
		}
		stop, over, late = nil, nil, time.After(stopWithin)
		s.signal(syscall.SIGTERM)
	}
}

// reap collects children that have ended, and reports whether any are left.
func (s *supervisor) reap() bool {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // ECHILD
			return false
		case pid == 0:
			return true
		case pid == s.program:
			s.program = 0
			s.report(report{Ended: describe(status)})
		}
	}
}

// describe says how a program has ended.
func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return fmt.Sprintf("was ended by signal %d (%v)", status.Signal(), status.Signal())
	}
	return fmt.Sprintf("ended with exit code %d", status.ExitStatus())
}

// signal sends a signal to the program with its group, and to all other children. A child's number is nobody else's
// before we have reaped it.
func (s *supervisor) signal(sig syscall.Signal) {
	if s.program != 0 {
		_ = syscall.Kill(-s.program, sig)
	}
	for _, pid := range childrenOf(os.Getpid()) {
		if pid != s.program {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// childrenOf lists the children of a process.
func childrenOf(parent int) (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat") // NUMBER (NAME) STATE PARENT …
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pids = append(pids, pid)
		}
	}
	return pids
}
