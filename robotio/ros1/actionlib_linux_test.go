package ros1

import (
	"fmt"
	"os/exec"
	"syscall"
	"testing"

	"github.com/omnipitch/omnipitch/robotio/msg"
	"github.com/omnipitch/omnipitch/testdata/must"
)

// needActionlib skips a test on machines without Debian's actionlib.
func needActionlib(t *testing.T) {
	t.Helper()
	needROS(t)
	if exec.Command(debianPython, "-c", "import actionlib.msg").Run() != nil {
		t.Skip("no actionlib: apt-get install python3-actionlib")
	}
}

// actionlibClient sends goals to /test. It asks the goal handles for states: a SimpleActionClient misses the
// transitions of a goal that the server answers at once.
const actionlibClient = `
import rospy, actionlib
from actionlib.msg import TestAction, TestGoal
from actionlib_msgs.msg import GoalStatus
rospy.init_node('lib')
def until(c, state):
    while c.gh.get_comm_state() != state and not rospy.is_shutdown(): rospy.rostime.wallsleep(0.01)
def done(name, c):
    until(c, actionlib.CommState.DONE)
    print(name, GoalStatus.to_string(c.get_state()), c.get_goal_status_text(), c.get_result().result)
def active(c): until(c, actionlib.CommState.ACTIVE)
c = actionlib.SimpleActionClient('/test', TestAction)
other = actionlib.SimpleActionClient('/test', TestAction)
print('servers', c.wait_for_server(rospy.Duration(20)), other.wait_for_server(rospy.Duration(20)))
c.send_goal(TestGoal(21)); done('succeed', c)
c.send_goal(TestGoal(-1)); done('abort', c)
c.send_goal(TestGoal(-2)); active(c); c.cancel_goal(); done('cancel', c)
c.send_goal(TestGoal(-3)); active(c); c.cancel_goal(); done('stay', c)
c.send_goal(TestGoal(-2)); active(c)
other.send_goal(TestGoal(5)); done('newer', other); done('older', c)
g = c.action_client.send_goal(TestGoal(-2), None, lambda g, f: print('feedback', f.feedback))
rospy.spin()
`

// A SimpleActionClient of ROS's actionlib gets from our server what it would get from actionlib's. When it is killed,
// its goal goes on until another client replaces it.
func TestActionlibClient(t *testing.T) {
	needActionlib(t)
	withMasters(t, func(t *testing.T, uri string) {
		serveTest(t, actionNode(t, uri, "/server"))
		p := python(t, uri, actionlibClient)
		for _, line := range []string{"servers True True", "succeed SUCCEEDED  42", "abort ABORTED it cannot 7",
			"cancel PREEMPTED " + errCancelled.Error() + " 0", "stay SUCCEEDED  -6", "newer SUCCEEDED  10",
			"older PREEMPTED " + errNewer.Error() + " 0", "feedback 1", "feedback 2", "feedback 3"} {
			p.says(line)
		}
		n := actionNode(t, uri, "/watch")
		c := actionClient(t, n)
		p.signal(syscall.SIGKILL)
		<-p.done
		list := recv(t, received[msg.GoalStatusArray](t, n, "/test/status", statusType)).StatusList
		must.Equal(t, list[len(list)-1].Status, msg.GoalActive, "status of the goal of the killed client")
		wantGoal(t, c.Send(&testGoal{3}, nil), msg.GoalSucceeded, "", 6)
	})
}

// actionlibServer serves /test as serveTest does.
const actionlibServer = `
import rospy, actionlib
from actionlib.msg import TestAction, TestResult, TestFeedback
rospy.init_node('lib')
def execute(g):
    for i in range(3): s.publish_feedback(TestFeedback(i + 1))
    if g.goal == -1: return s.set_aborted(TestResult(7), 'it cannot')
    if g.goal < 0:
        while not s.is_preempt_requested() and not rospy.is_shutdown(): rospy.rostime.wallsleep(0.01)
        if g.goal == -2: return s.set_preempted(text='stopped')
    s.set_succeeded(TestResult(2 * g.goal))
s = actionlib.SimpleActionServer('/test', TestAction, execute, auto_start=False)
s.start()
print('ready')
rospy.spin()
`

// Our client gets from a SimpleActionServer of ROS's actionlib what actionlib's client would get. When the server is
// killed and another one starts, the goal is lost.
func TestActionlibServer(t *testing.T) {
	needActionlib(t)
	withMasters(t, func(t *testing.T, uri string) {
		p := python(t, uri, actionlibServer)
		c := actionClient(t, actionNode(t, uri, "/client"))
		wantGoal(t, c.Send(&testGoal{21}, nil), msg.GoalSucceeded, "", 42)
		wantGoal(t, c.Send(&testGoal{goalAborts}, nil), msg.GoalAborted, "it cannot", 7)
		cancelled := begun(t, c, goalWaits)
		cancelled.Cancel()
		wantGoal(t, cancelled, msg.GoalPreempted, "stopped", 0)
		stays := begun(t, c, goalStays)
		stays.Cancel()
		wantGoal(t, stays, msg.GoalSucceeded, "", 2*goalStays)
		older := begun(t, c, goalWaits)
		wantGoal(t, c.Send(&testGoal{5}, nil), msg.GoalSucceeded, "", 10)
		wantGoal(t, older, msg.GoalPreempted, "stopped", 0)
		lost := listed(t, c)
		p.signal(syscall.SIGKILL)
		<-p.done
		python(t, uri, actionlibServer)
		wantGoal(t, lost, msg.GoalLost, "", 0)
		must.Equal(t, fmt.Sprint(lost.err), "action /test: the goal was lost: its server has forgotten it", "error")
	})
}
