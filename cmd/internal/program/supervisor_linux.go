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

// supervisor is the state of a supervisor process. This process is the parent of a program. It also becomes the parent
// of processes that the program leaves behind.
type supervisor struct {
	program int // PID of the program, which leads its own process group; 0 once the program has ended
	reports *json.Encoder
}

// Supervise starts the program that the first line of orders names, and reports the end of the program. It returns when
// the program and all processes that the program has started are gone. At the end of orders, or on a signal, it ends
// all these processes. Supervise takes over the whole process, with its signals and its children.
func Supervise(orders io.Reader, reports io.Writer) error {
	// Linux kills the program when the thread that has started it ends. A locked thread lives as long as the process.
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("supervise: %w", err)
	}
	children, stop := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(children, syscall.SIGCHLD)
	signal.Notify(stop, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	// writing a report must not end this process if the run is gone
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	in := bufio.NewReader(orders)
	line, err := in.ReadBytes('\n')
	if err != nil {
		return nil // the run was killed before it sent the order
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
	// The supervisor makes the folder for logs, so that the folder is removed even if the run is killed.
	logs, err := os.MkdirTemp("", "omnipitch-ros-")
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

// logVariable is the variable that names the folder for the logs of ROS nodes. Without it, they write logs into the
// home folder of the user.
const logVariable = "ROS_LOG_DIR="

// start starts the program. Both stdout and stderr of the program go to the stderr of the supervisor, which the run
// reads.
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

// report sends a report to the run. It ignores errors, because the run may be gone.
func (s *supervisor) report(r report) { _ = s.reports.Encode(r) }

// killEvery is the wall time between two rounds of killing children. 10 ms is a guess.
const killEvery = 10 * time.Millisecond

// watch returns when the supervisor has no child left. Once stop or over reports that the program must end, watch sends
// SIGTERM to all children and, after stopWithin, SIGKILL. When a child ends, its own children become children of the
// supervisor, so watch kills repeatedly. It sends signals only to children that it has not reaped. No other process can
// have the PID of such a child.
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

// reap collects the exit statuses of children that have ended. It returns true if a child is still running.
func (s *supervisor) reap() bool {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil: // ECHILD: there are no children
			return false
		case pid == 0:
			return true
		case pid == s.program:
			s.program = 0
			s.report(report{Ended: describe(status)})
		}
	}
}

// describe returns a text that says how a program has ended: its exit code, or the signal that ended it.
func describe(status syscall.WaitStatus) string {
	if status.Signaled() {
		return fmt.Sprintf("was ended by signal %d (%v)", status.Signal(), status.Signal())
	}
	return fmt.Sprintf("ended with exit code %d", status.ExitStatus())
}

// signal sends a signal to the process group of the program and to all other children of the supervisor. No other
// process can have the PID of a child that has not been reaped.
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

// childrenOf returns the PIDs of the children of a process.
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
