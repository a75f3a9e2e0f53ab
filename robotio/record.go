package robotio

import (
	"context"

	"github.com/omnipitch/omnipitch/robotio/ros1"
	"github.com/omnipitch/omnipitch/robotio/ros1/msg"
	"github.com/omnipitch/omnipitch/worlds/action"
)

// RecordService is the name, below the bridge's node, of the service that switches the run's recording on or off.
const RecordService = "record"

// record serves action.Record as a std_srvs/SetBool, which any ROS installation can call.
func (b *Bridge) record(n *ros1.Node) error {
	return b.keep(ros1.Serve(n, n.Name()+"/"+RecordService, "std_srvs/SetBool",
		func(_ context.Context, q *msg.SetBoolRequest) (*msg.SetBoolResponse, error) {
			if err := b.sim.Do(&action.Record{On: q.Data}); err != nil {
				return &msg.SetBoolResponse{Message: err.Error()}, nil
			}
			return &msg.SetBoolResponse{Success: true}, nil
		}))
}
