package process

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Supported is nil where this package can run commands.
func Supported() error { return nil }

// A leader is the process a command was started as, in a job object of its own.
// What it starts is in the job too and cannot leave it. The job ends with its
// last handle, so all of it ends with this program, however that ends. (When that
// is in the moment before the leader is in the job, it stays, and never runs.)
type leader struct {
	proc   *os.Process
	state  *os.ProcessState
	err    error
	job    windows.Handle
	killed atomic.Bool
}

func newLeader() *leader { return &leader{} }

// attr says how to start the leader: not to run before it is in its job, and
// with a console of its own that nobody sees, so that what it starts neither
// opens windows nor reads the keyboard of this program's.
func (l *leader) attr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NO_WINDOW}
}

// started puts the leader into a job and lets it run.
func (l *leader) started(p *os.Process) error {
	l.proc = p
	err := l.confine()
	if err == nil {
		err = resume(uint32(p.Pid))
	}
	if err != nil {
		p.Kill()
		p.Wait()
		if l.job != 0 {
			windows.CloseHandle(l.job)
		}
	}
	return err
}

func (l *leader) confine() error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return os.NewSyscallError("CreateJobObject", err)
	}
	l.job = job
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		return os.NewSyscallError("SetInformationJobObject", err)
	}
	// The number is the leader's: l.proc keeps a handle of it.
	const access = windows.PROCESS_SET_QUOTA | windows.PROCESS_TERMINATE
	process, err := windows.OpenProcess(access, false, uint32(l.proc.Pid))
	if err != nil {
		return os.NewSyscallError("OpenProcess", err)
	}
	defer windows.CloseHandle(process)
	return os.NewSyscallError("AssignProcessToJobObject", windows.AssignProcessToJobObject(job, process))
}

// resume lets a process run that was started suspended. It has one thread that is,
// and others only if somebody has put them into it.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		count, err := windows.ResumeThread(thread)
		windows.CloseHandle(thread)
		if err != nil {
			return os.NewSyscallError("ResumeThread", err)
		}
		if count > 0 {
			return nil
		}
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		err = fmt.Errorf("process %d has no thread that waits to be resumed", pid)
	}
	return err
}

func (l *leader) wait() { l.state, l.err = l.proc.Wait() }

// end ends all that is in the job, and waits until it is gone. It reports
// whether something is left.
func (l *leader) end() (left bool) {
	for deadline := time.Now().Add(killWait); ; time.Sleep(time.Millisecond) {
		if n, ok := l.active(); ok && n == 0 {
			return false
		}
		windows.TerminateJobObject(l.job, 1)
		if time.Now().After(deadline) {
			return true
		}
	}
}

// active is how many processes are in the job.
func (l *leader) active() (n uint32, ok bool) {
	var info struct { // JOBOBJECT_BASIC_ACCOUNTING_INFORMATION
		times                             [4]int64
		faults, total, active, terminated uint32
	}
	err := windows.QueryInformationJobObject(l.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info)), nil)
	return info.active, err == nil
}

// occupied reports whether anything of the command runs once the leader has exited.
func (l *leader) occupied() bool {
	n, ok := l.active()
	return ok && n > 0
}

// ended returns how the leader ended.
func (l *leader) ended() (exit, bool) {
	if l.err != nil {
		return exit{}, false
	}
	return exit{code: int(int32(l.state.ExitCode()))}, true // as %ERRORLEVEL% shows it
}

// reap returns how the leader ended. Of one that was ended that is not known:
// there are no signals here to be told from an exit code.
func (l *leader) reap() (exit, bool) {
	windows.CloseHandle(l.job)
	if l.killed.Load() {
		return exit{}, false
	}
	return l.ended()
}

// beyond would say that nobody here may end the leader.
func (l *leader) beyond() bool { return false }
