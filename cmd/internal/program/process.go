package program

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// process is a running program together with its supervisor.
type process struct {
	supervisor *exec.Cmd
	orders     io.Closer     // closing it ends the program
	ended      chan string   // receives once a text that says how the program ended
	gone       chan struct{} // closed when the supervisor and all its processes are gone
}

// drainTime is the wall time for which the output is still read after a supervisor has ended. If the supervisor was
// killed, processes of its program may hold the output open forever. One second is a guess.
const drainTime = time.Second

// start starts a program under a supervisor and reads its output. It fails if the program cannot be started.
func start(o order, out *output) (*process, error) {
	cmd := exec.Command(self, "supervise")
	cmd.Args[0] = "omnipitch"
	cmd.SysProcAttr = inOwnSession
	orders, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	reports, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	printed, err := cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	p := &process{supervisor: cmd, orders: orders, ended: make(chan string, 1), gone: make(chan struct{})}
	read := make(chan struct{})
	go func() {
		out.read(printed)
		close(read)
	}()
	in := json.NewDecoder(reports)
	var first report
	err = json.NewEncoder(orders).Encode(o)
	if err == nil {
		err = in.Decode(&first)
	}
	if err == nil && first.Failed != "" {
		err = errors.New(first.Failed)
	}
	go func() {
		p.follow(in)
		if f, ok := printed.(*os.File); ok {
			_ = f.SetReadDeadline(time.Now().Add(drainTime))
		}
		<-read
		_ = cmd.Wait()
		close(p.gone)
	}()
	if err != nil {
		orders.Close()
		<-p.gone
		return nil, err
	}
	return p, nil
}

// follow reads the reports of the supervisor until the supervisor has ended. It sends to the channel ended how the
// program ended.
func (p *process) follow(in *json.Decoder) {
	reported := false
	for {
		var r report
		if in.Decode(&r) != nil {
			break
		}
		if r.Ended != "" && !reported {
			reported = true
			p.ended <- r.Ended
		}
	}
	if !reported {
		p.ended <- "was lost: its supervisor has been killed"
	}
}

// killTime is the wall time that the system may take to end processes after SIGKILL. 10 s is a guess with a margin: it
// takes at most a second under any load, unless a process waits for a device.
const killTime = 10 * time.Second

// stop ends the program and all processes that the program has started. within is the time from SIGTERM to SIGKILL.
// stop returns an error if a process does not end, for instance because it runs as another user.
func (p *process) stop(within time.Duration) error {
	p.orders.Close()
	select {
	case <-p.gone:
		return nil
	case <-time.After(within + killTime):
		return fmt.Errorf("was not ended by SIGKILL; process %d is its supervisor", p.supervisor.Process.Pid)
	}
}
