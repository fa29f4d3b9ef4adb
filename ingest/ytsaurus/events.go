package ytsaurus

// An eventType is what a row records (ingest/trace/FORMAT.md §1.3).
type eventType uint8

const (
	unknownEvent eventType = iota
	schedulerStarted
	masterConnected
	masterDisconnected
	jobStarted
	jobCompleted
	jobFailed
	jobAborted
	operationStarted
	operationPrepared
	operationMaterialized
	operationCompleted
	operationFailed
	operationAborted
	operationBanned
	runtimeParametersInfo
	fairShareInfo
	clusterInfo
	nodesInfo
	poolsInfo
	accumulatedUsageInfo
	starvationStarted
	starvationFinished
	eventTypeCount
	archivedJob // no event: a row of the archive
)

func (e eventType) isJob() bool { return e >= jobStarted && e <= jobAborted }

var eventNames = [eventTypeCount]string{
	schedulerStarted: "scheduler_started", masterConnected: "master_connected", masterDisconnected: "master_disconnected",
	jobStarted: "job_started", jobCompleted: "job_completed", jobFailed: "job_failed", jobAborted: "job_aborted",
	operationStarted: "operation_started", operationPrepared: "operation_prepared", operationMaterialized: "operation_materialized",
	operationCompleted: "operation_completed", operationFailed: "operation_failed", operationAborted: "operation_aborted",
	operationBanned: "operation_banned_in_tree", runtimeParametersInfo: "runtime_parameters_info",
	fairShareInfo: "fair_share_info", clusterInfo: "cluster_info", nodesInfo: "nodes_info", poolsInfo: "pools_info",
	accumulatedUsageInfo: "accumulated_usage_info",
	starvationStarted:    "operation_starvation_started", starvationFinished: "operation_starvation_finished",
}

var eventTypes = func() map[string]eventType {
	types := map[string]eventType{}
	for e, name := range eventNames {
		if name != "" {
			types[name] = eventType(e)
		}
	}
	return types
}()
